"""scikit-image works on our arrays as pictures."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, NEEDS_LEND, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "scikit-image",
        "skimage",
        """
        import skimage
        from skimage import color, draw, exposure, feature, filters, io, measure, morphology, restoration, segmentation, transform, util
        """,
        [
            *uses(
                "filters.gaussian(grey, 2)",
                "filters.sobel(grey)",
                "filters.threshold_otsu(grey)",
                "color.rgb2gray(image)",
                "color.rgb2hsv(image)",
                "transform.resize(grey, (12, 16))",
                "exposure.equalize_hist(grey)",
                "exposure.rescale_intensity(image)",
                "feature.canny(grey)",
                "feature.peak_local_max(grey)",
                "measure.label(grey > 0.5)",
                "[region.area for region in measure.regionprops((grey > 0.5).astype(int))]",
                "morphology.skeletonize(grey > 0.5)",
                "restoration.denoise_tv_chambolle(grey)",
                "restoration.inpaint_biharmonic(grey, grey > 0.9)",
                "segmentation.slic(image, n_segments=4, start_label=1)",
                "segmentation.watershed(grey)",
                "util.img_as_float(image)",
                "util.img_as_ubyte(grey)",
                "util.random_noise(grey, rng=0)",
                "draw.set_color(image, draw.disk((10, 10), 4), (1, 2, 3))",
                "rows, columns = draw.disk((10, 10), 4); grey[rows, columns] = 1",
                "io.imsave(f'{folder}/a.png', image); io.imread(f'{folder}/a.png')",
                "segmentation.flood_fill(grey, (0, 0), 5.0)",
                "segmentation.flood_fill(grey, (0, 0), 5.0, in_place=True)",
                "measure.find_contours(grey, 0.5)[0]",
            ),
            *uses(
                "util.view_as_blocks(grey, (4, 4))",
                "util.img_as_float(grey)",
                verdict=COPIES,
            ),
            use(
                "transform.rotate(grey, 30)",
                NEEDS_LEND,
                """
                with cowarray.lend(grey):
                    transform.rotate(grey, 30)
                """,
            ),
            use(
                "transform.warp(grey, transform.AffineTransform(translation=(2, 3)))",
                NEEDS_LEND,
                """
                with cowarray.lend(grey):
                    transform.warp(grey, transform.AffineTransform(translation=(2, 3)))
                """,
            ),
            use("morphology.dilation(grey)", NEEDS_ASARRAY, "morphology.dilation(np.asarray(grey))"),
            use(
                "morphology.remove_small_objects(grey > 0.5, max_size=2)",
                SILENT,
                "morphology.remove_small_objects(np.asarray(grey) > 0.5, max_size=2)",
            ),
            use("util.view_as_windows(grey, (4, 4))", NEEDS_ASARRAY, "util.view_as_windows(np.asarray(grey), (4, 4))"),
        ],
        distribution="scikit-image",
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_skimage(client):
    check(__name__, client)

"""OpenCV works on our arrays as pictures."""

import pytest
from client_uses import NEEDS_ASARRAY, NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "OpenCV",
        "cv2",
        """
        import cv2
        cv2.setNumThreads(1)
        """,
        [
            use("cv2.GaussianBlur(grey, (5, 5), 0)", NEEDS_ASARRAY, "cv2.GaussianBlur(np.asarray(grey), (5, 5), 0)"),
            use(
                "cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)",
                NEEDS_ASARRAY,
                "cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2GRAY)",
            ),
            use("cv2.resize(image, (8, 8))", NEEDS_ASARRAY, "cv2.resize(np.asarray(image), (8, 8))"),
            use("cv2.Canny(image, 50, 100)", NEEDS_ASARRAY, "cv2.Canny(np.asarray(image), 50, 100)"),
            use("cv2.add(image, image)", NEEDS_ASARRAY, "cv2.add(np.asarray(image), np.asarray(image))"),
            use(
                "cv2.rectangle(image, (2, 2), (9, 9), (1, 2, 3), -1)",
                NEEDS_LEND,
                "cv2.rectangle(image.to_numpy(writable=True), (2, 2), (9, 9), (1, 2, 3), -1)",
            ),
            use(
                "cv2.GaussianBlur(x, (1, 3), 0, dst=out)",
                NEEDS_LEND,
                "cv2.GaussianBlur(x.to_numpy(writable=True), (1, 3), 0, dst=out.to_numpy(writable=True))",
            ),
            use("cv2.flip(image, 0)", NEEDS_ASARRAY, "cv2.flip(np.asarray(image), 0)"),
            use(
                "cv2.warpAffine(grey, np.eye(2, 3), (32, 24))",
                NEEDS_ASARRAY,
                "cv2.warpAffine(np.asarray(grey), np.eye(2, 3), (32, 24))",
            ),
            use("cv2.imencode('.png', image)[1]", NEEDS_ASARRAY, "cv2.imencode('.png', np.asarray(image))[1]"),
            use(
                "cv2.imwrite(f'{folder}/a.png', image); cv2.imread(f'{folder}/a.png')",
                NEEDS_ASARRAY,
                "cv2.imwrite(f'{folder}/a.png', np.asarray(image)); cv2.imread(f'{folder}/a.png')",
            ),
            use(
                "cv2.findContours((grey > 0.5).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0][0]",
                NEEDS_ASARRAY,
                "cv2.findContours((np.asarray(grey) > 0.5).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0][0]",
            ),
            use(
                "cv2.threshold(grey, 0.5, 1, cv2.THRESH_BINARY)[1]",
                NEEDS_ASARRAY,
                "cv2.threshold(np.asarray(grey), 0.5, 1, cv2.THRESH_BINARY)[1]",
            ),
            use("cv2.minMaxLoc(grey)", NEEDS_ASARRAY, "cv2.minMaxLoc(np.asarray(grey))"),
            use("cv2.norm(x, y)", NEEDS_ASARRAY, "cv2.norm(np.asarray(x), np.asarray(y))"),
            use(
                "cv2.kmeans(f.reshape(12, 1), 2, None, (cv2.TERM_CRITERIA_EPS, 10, 1), 1, cv2.KMEANS_PP_CENTERS)[0] >= 0",
                NEEDS_ASARRAY,
                "cv2.kmeans(np.asarray(f).reshape(12, 1), 2, None, (cv2.TERM_CRITERIA_EPS, 10, 1), 1, cv2.KMEANS_PP_CENTERS)[0] >= 0",
            ),
            use(
                "cv2.calcHist([image], [0], None, [16], [0, 256])",
                NEEDS_ASARRAY,
                "cv2.calcHist([np.asarray(image)], [0], None, [16], [0, 256])",
            ),
            use(
                "cv2.putText(image, 'a', (2, 20), cv2.FONT_HERSHEY_PLAIN, 1, (255, 0, 0))",
                NEEDS_LEND,
                "cv2.putText(image.to_numpy(writable=True), 'a', (2, 20), cv2.FONT_HERSHEY_PLAIN, 1, (255, 0, 0))",
            ),
        ],
        distribution="opencv-python-headless",
    ),
    Client(
        "OpenCV, after cowarray.register()",
        "cv2",
        """
        import cv2
        cv2.setNumThreads(1)
        cowarray.register()
        """,
        uses(
            "cv2.GaussianBlur(grey, (5, 5), 0)",
            "cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)",
            "cv2.resize(image, (8, 8))",
            "cv2.Canny(image, 50, 100)",
            "cv2.add(image, image)",
            "cv2.rectangle(image, (2, 2), (9, 9), (1, 2, 3), -1)",
            "cv2.GaussianBlur(x, (1, 3), 0, dst=out)",
            "cv2.flip(image, 0)",
            "cv2.warpAffine(grey, np.eye(2, 3), (32, 24))",
            "cv2.imencode('.png', image)[1]",
            "cv2.imwrite(f'{folder}/a.png', image); cv2.imread(f'{folder}/a.png')",
            "cv2.findContours((grey > 0.5).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0][0]",
            "cv2.threshold(grey, 0.5, 1, cv2.THRESH_BINARY)[1]",
            "cv2.minMaxLoc(grey)",
            "cv2.norm(x, y)",
            "cv2.kmeans(f.reshape(12, 1), 2, None, (cv2.TERM_CRITERIA_EPS, 10, 1), 1, cv2.KMEANS_PP_CENTERS)[0] >= 0",
            "cv2.calcHist([image], [0], None, [16], [0, 256])",
            "cv2.putText(image, 'a', (2, 20), cv2.FONT_HERSHEY_PLAIN, 1, (255, 0, 0))",
        ),
        distribution="opencv-python-headless",
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_opencv(client):
    check(__name__, client)

"""matplotlib draws our arrays: what it draws is compared, picture by picture."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "matplotlib",
        "matplotlib",
        """
        import matplotlib
        matplotlib.use("agg")
        from matplotlib import pyplot as plt, colors

        def drawn(draw):
            figure, axes = plt.subplots(figsize=(2, 2), dpi=50)
            draw(axes)
            figure.canvas.draw()
            picture = np.array(figure.canvas.buffer_rgba())
            plt.close(figure)
            return picture
        """,
        [
            *uses(
                "drawn(lambda axes: axes.plot(x, y))",
                "drawn(lambda axes: axes.plot(t, x))",
                "drawn(lambda axes: axes.scatter(x, y, s=n, c=x))",
                "drawn(lambda axes: axes.bar(n, x))",
                "drawn(lambda axes: axes.hist(x, bins=4))",
                "drawn(lambda axes: axes.imshow(image))",
                "drawn(lambda axes: axes.imshow(grey))",
                "drawn(lambda axes: axes.pcolormesh(grey))",
                "drawn(lambda axes: axes.contourf(grey))",
                "drawn(lambda axes: axes.errorbar(x, y, yerr=n))",
                "drawn(lambda axes: axes.fill_between(np.arange(12), x, y))",
                "drawn(lambda axes: axes.boxplot(m))",
                "drawn(lambda axes: axes.violinplot(m))",
                "drawn(lambda axes: axes.quiver(x, y, x, y))",
                "drawn(lambda axes: axes.step(np.arange(12), x))",
                "drawn(lambda axes: axes.pie(n))",
                "drawn(lambda axes: axes.stem(x))",
                "drawn(lambda axes: axes.hist2d(x, y))",
                "plt.Line2D(x, y).get_xydata()",
                "colors.Normalize()(x)",
                "plt.get_cmap('viridis')(x)",
                "plt.imsave(f'{folder}/a.png', image); plt.imread(f'{folder}/a.png')",
                "line = plt.Line2D(x, y); x[:] = 0; line.get_xydata()",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_matplotlib(client):
    check(__name__, client)

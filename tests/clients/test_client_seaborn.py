"""seaborn draws our arrays."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "seaborn",
        "seaborn",
        """
        import matplotlib
        matplotlib.use("agg")
        import seaborn as sns
        from matplotlib import pyplot as plt

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
                "drawn(lambda ax: sns.lineplot(x=x, y=y, ax=ax))",
                "drawn(lambda ax: sns.scatterplot(x=x, y=y, hue=labels, ax=ax))",
                "drawn(lambda ax: sns.histplot(x, ax=ax))",
                "drawn(lambda ax: sns.kdeplot(x, ax=ax))",
                "drawn(lambda ax: sns.heatmap(m, ax=ax))",
                "drawn(lambda ax: sns.boxplot(x=labels, y=x, ax=ax))",
                "drawn(lambda ax: sns.boxplot(m, ax=ax))",
                "drawn(lambda ax: sns.violinplot(x, ax=ax))",
                "drawn(lambda ax: sns.regplot(x=x, y=y, seed=0, ax=ax))",
                "drawn(lambda ax: sns.barplot(x=labels, y=x, errorbar=None, ax=ax))",
                "drawn(lambda ax: sns.lineplot({'x': x, 'y': y}, x='x', y='y', ax=ax))",
                "drawn(lambda ax: sns.ecdfplot(x, ax=ax))",
                "drawn(lambda ax: sns.stripplot(x=labels, y=x, jitter=False, ax=ax))",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_seaborn(client):
    check(__name__, client)

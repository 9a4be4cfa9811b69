"""networkx makes graphs of our arrays."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "networkx",
        "networkx",
        "import networkx as nx",
        [
            *uses(
                "nx.to_numpy_array(nx.from_numpy_array(s))",
                "sorted(nx.from_numpy_array(s).edges(data='weight'))",
                "nx.from_numpy_array(s, parallel_edges=False).number_of_edges()",
                "nx.to_numpy_array(nx.from_numpy_array(s, create_using=nx.DiGraph), nodelist=[3, 2, 1, 0])",
                "sorted(nx.pagerank(nx.from_numpy_array(s)).items())",
                "sorted(nx.shortest_path_length(nx.from_numpy_array(s), 0, weight='weight').items())",
                "sorted(nx.from_edgelist(n.reshape(6, 2)).edges())",
                "sorted(nx.from_edgelist(n.reshape(6, 2).tolist()).edges())",
                "sorted((k, list(p)) for k, p in nx.spring_layout(nx.path_graph(4), pos=dict(enumerate(m[:4, :2])), iterations=1, seed=0).items())",
                "sorted(nx.Graph(list(enumerate(n))).nodes())",
                "graph = nx.path_graph(4); nx.set_node_attributes(graph, dict(enumerate(v)), 'v'); [graph.nodes[i]['v'] for i in graph]",
                "nx.floyd_warshall_numpy(nx.from_numpy_array(s))",
            ),
            use("sorted(nx.Graph(s).degree())", NEEDS_ASARRAY, "sorted(nx.Graph(np.asarray(s)).degree())"),
            use(
                "nx.to_numpy_array(nx.to_networkx_graph(s))",
                NEEDS_ASARRAY,
                "nx.to_numpy_array(nx.to_networkx_graph(np.asarray(s)))",
            ),
        ],
        needs=("scipy",),
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_networkx(client):
    check(__name__, client)

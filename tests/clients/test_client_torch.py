"""torch takes our arrays as tensors."""

import pytest
from client_uses import NEEDS_ASARRAY, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "torch",
        "torch",
        "import torch",
        [
            *uses(
                "torch.tensor(x)",
                "torch.tensor(x, dtype=torch.float32)",
                "torch.as_tensor(x)",
                "torch.asarray(x, dtype=torch.float64)",
                "torch.from_dlpack(x)",
                "torch.from_dlpack(x).add_(1)",
                "torch.utils.dlpack.from_dlpack(m).sum()",
                "torch.frombuffer(x, dtype=torch.float64)",
                "torch.FloatTensor(f)",
                "torch.Tensor(f)",
                "torch.stack([torch.tensor(row) for row in m])",
                "torch.ones(12, dtype=torch.float64) + x",
                "torch.ones(12, dtype=torch.float64) * torch.as_tensor(x)",
                "tensor = torch.zeros(12, dtype=torch.float64); tensor[:] = torch.tensor(x); tensor",
                "x[:] = torch.ones(12, dtype=torch.float64)",
                "torch.arange(12.0)[b]",
                "torch.arange(12.0)[torch.tensor(n)]",
                "torch.utils.data.TensorDataset(torch.tensor(m), torch.tensor(labels))[3]",
                "torch.nn.functional.softmax(torch.from_dlpack(m), dim=1)",
                "torch.linalg.solve(torch.from_dlpack(s), torch.from_dlpack(v))",
                "np.sum(torch.from_dlpack(x).numpy() + x)",
                "torch.save(torch.from_dlpack(x), f'{folder}/x.pt'); torch.load(f'{folder}/x.pt')",
                "tensor = torch.from_dlpack(x); tensor[0] = 7; tensor",
                "tensor = torch.as_tensor(x); tensor[0] = 7; tensor",
                "torch.tensor(x).to(torch.float32)",
                "np.multiply(x, torch.ones(12, dtype=torch.float64).numpy())",
            ),
            use("torch.asarray(x)", SILENT, "torch.from_dlpack(x)"),
            use("torch.from_numpy(x)", NEEDS_ASARRAY, "torch.from_dlpack(x)"),
            use(
                "next(iter(torch.utils.data.DataLoader(m, batch_size=4)))",
                NEEDS_ASARRAY,
                "next(iter(torch.utils.data.DataLoader(np.asarray(m), batch_size=4)))",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_torch(client):
    check(__name__, client)

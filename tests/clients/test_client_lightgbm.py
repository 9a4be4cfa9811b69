"""LightGBM trains on our arrays."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "LightGBM",
        "lightgbm",
        """
        import lightgbm as lgb
        FEW = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_threads": 1, "deterministic": True, "seed": 0}
        """,
        [
            *uses(
                "lgb.LGBMRegressor(n_estimators=3, **FEW).fit(m, y).predict(m)",
                "lgb.LGBMClassifier(n_estimators=3, **FEW).fit(m, labels).predict(m)",
            ),
            use(
                "lgb.train(FEW, lgb.Dataset(m, y), 3).predict(m)",
                NEEDS_ASARRAY,
                "lgb.train(FEW, lgb.Dataset(m, np.asarray(y)), 3).predict(m)",
            ),
            use(
                "lgb.train(FEW, lgb.Dataset(m, y, weight=n), 3).predict(m)",
                NEEDS_ASARRAY,
                "lgb.train(FEW, lgb.Dataset(m, np.asarray(y), weight=np.asarray(n)), 3).predict(m)",
            ),
            use(
                "lgb.train({**FEW, 'objective': 'binary'}, lgb.Dataset(m, labels), 3).predict(m)",
                NEEDS_ASARRAY,
                "lgb.train({**FEW, 'objective': 'binary'}, lgb.Dataset(m, np.asarray(labels)), 3).predict(m)",
            ),
            use(
                "lgb.train(FEW, lgb.Dataset(m.astype('f4'), y), 3).predict(m)",
                NEEDS_ASARRAY,
                "lgb.train(FEW, lgb.Dataset(m.astype('f4'), np.asarray(y)), 3).predict(m)",
            ),
            use(
                "lgb.Dataset(m, y).construct().get_label()",
                NEEDS_ASARRAY,
                "lgb.Dataset(m, np.asarray(y)).construct().get_label()",
            ),
            use(
                "lgb.Dataset(m[::2], y[::2]).construct().num_data()",
                NEEDS_ASARRAY,
                "lgb.Dataset(m[::2], np.asarray(y)[::2]).construct().num_data()",
            ),
            use(
                "lgb.Dataset([m, m], np.concatenate([y, y])).construct().num_data()",
                NEEDS_ASARRAY,
                "lgb.Dataset([np.asarray(m), np.asarray(m)], np.concatenate([np.asarray(y), np.asarray(y)])).construct().num_data()",
            ),
            use(
                "lgb.train({**FEW, 'objective': lambda guess, data: (guess - data.get_label(), np.ones(12))}, lgb.Dataset(m, y), 3).predict(m)",
                NEEDS_ASARRAY,
                "lgb.train({**FEW, 'objective': lambda guess, data: (guess - data.get_label(), np.ones(12))}, lgb.Dataset(m, np.asarray(y)), 3).predict(m)",
            ),
        ],
    ),
    Client(
        "LightGBM, after cowarray.register()",
        "lightgbm",
        """
        import lightgbm as lgb
        FEW = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_threads": 1, "deterministic": True, "seed": 0}
        cowarray.register()
        """,
        uses(
            "lgb.train(FEW, lgb.Dataset(m, y), 3).predict(m)",
            "lgb.train(FEW, lgb.Dataset(m, y, weight=n), 3).predict(m)",
            "lgb.train({**FEW, 'objective': 'binary'}, lgb.Dataset(m, labels), 3).predict(m)",
            "lgb.train(FEW, lgb.Dataset(m.astype('f4'), y), 3).predict(m)",
            "lgb.Dataset(m, y).construct().get_label()",
            "lgb.Dataset(m[::2], y[::2]).construct().num_data()",
            "lgb.Dataset([m, m], np.concatenate([y, y])).construct().num_data()",
            "lgb.train({**FEW, 'objective': lambda guess, data: (guess - data.get_label(), np.ones(12))}, lgb.Dataset(m, y), 3).predict(m)",
        ),
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_lightgbm(client):
    check(__name__, client)

"""XGBoost trains on our arrays."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "XGBoost",
        "xgboost",
        """
        import xgboost as xgb
        FEW = {"nthread": 1, "seed": 0, "max_depth": 2}
        """,
        [
            *uses(
                "xgb.train(FEW, xgb.DMatrix(m, y), 3).predict(xgb.DMatrix(m))",
                "xgb.train(FEW, xgb.DMatrix(m, y, weight=x ** 2), 3).predict(xgb.DMatrix(m))",
                "xgb.DMatrix(m, y).get_label()",
                "xgb.DMatrix(m).num_row()",
                "xgb.DMatrix(m[::2]).num_row()",
                "xgb.DMatrix(m.astype('f4')).num_col()",
                "xgb.XGBRegressor(n_estimators=3, n_jobs=1).fit(m, y).predict(m)",
                "xgb.XGBClassifier(n_estimators=3, n_jobs=1).fit(m, labels).predict(m)",
                "xgb.DMatrix(m, missing=0.0).num_nonmissing()",
                "xgb.train(FEW, xgb.DMatrix(m, y), 3, obj=lambda guess, data: (guess - data.get_label(), np.ones(12))).predict(xgb.DMatrix(m))",
            ),
            use(
                "xgb.train(FEW, xgb.QuantileDMatrix(m, y), 3).predict(xgb.DMatrix(m))",
                NEEDS_ASARRAY,
                "xgb.train(FEW, xgb.QuantileDMatrix(np.asarray(m), np.asarray(y)), 3).predict(xgb.DMatrix(np.asarray(m)))",
            ),
            use(
                "xgb.train(FEW, xgb.DMatrix(m, y), 3).inplace_predict(m)",
                NEEDS_ASARRAY,
                "xgb.train(FEW, xgb.DMatrix(np.asarray(m), np.asarray(y)), 3).inplace_predict(np.asarray(m))",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_xgboost(client):
    check(__name__, client)

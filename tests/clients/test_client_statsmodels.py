"""statsmodels fits models to our arrays."""

import pytest
from client_uses import Client, check, use, uses

CLIENTS = [
    Client(
        "statsmodels",
        "statsmodels",
        """
        import statsmodels.api as sm
        import statsmodels.formula.api as smf
        from statsmodels.stats import diagnostic, weightstats
        from statsmodels.tsa import stattools
        from statsmodels.tsa.arima.model import ARIMA
        """,
        [
            *uses(
                "sm.OLS(y, m).fit().params",
                "sm.OLS(y, sm.add_constant(m)).fit().tvalues",
                "sm.GLM(labels, m, family=sm.families.Binomial()).fit().params",
                "sm.RLM(y, m).fit().params",
                "sm.WLS(y, m, weights=x ** 2 + 1).fit().bse",
                "smf.ols('y ~ x', {'x': x, 'y': y}).fit().params",
                "stattools.acf(x, nlags=4)",
                "stattools.adfuller(x, maxlag=1)[0]",
                "sm.tsa.seasonal_decompose(x, period=4).trend",
                "weightstats.ttest_ind(x, y)",
                "sm.nonparametric.lowess(y, x)",
                "sm.distributions.ECDF(x)(y)",
                "diagnostic.lilliefors(x)[0]",
                "sm.add_constant(x)",
                "sm.tsa.filters.hpfilter(x)[1]",
                "sm.OLS(y, m).fit().predict(m)",
            ),
            use("ARIMA(x, order=(1, 0, 0)).fit().params", close=1e-06),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_statsmodels(client):
    check(__name__, client)

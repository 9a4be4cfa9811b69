"""scikit-learn estimates from our arrays: as it is, and by the array API."""

import pytest
from client_uses import SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "scikit-learn",
        "sklearn",
        """
        import sklearn
        from sklearn import cluster, decomposition, ensemble, linear_model, metrics, model_selection, neighbors, preprocessing, svm
        """,
        [
            *uses(
                "linear_model.LinearRegression().fit(m, y).coef_",
                "linear_model.LogisticRegression().fit(m, labels).predict(m)",
                "linear_model.LogisticRegression().fit(m, labels).predict_proba(m)",
                "ensemble.RandomForestClassifier(5, random_state=0).fit(m, labels).predict(m)",
                "ensemble.HistGradientBoostingRegressor(max_iter=5).fit(m, y).predict(m)",
                "svm.SVC(random_state=0).fit(m, labels).decision_function(m)",
                "neighbors.KNeighborsClassifier(3).fit(m, labels).predict(m)",
                "cluster.KMeans(2, n_init=1, random_state=0).fit_predict(m)",
                "decomposition.PCA(2).fit_transform(m)",
                "preprocessing.StandardScaler().fit_transform(m)",
                "preprocessing.OneHotEncoder().fit_transform(labels.reshape(-1, 1)).toarray()",
                "preprocessing.LabelEncoder().fit_transform(labels)",
                "model_selection.cross_val_score(linear_model.Ridge(), m, y, cv=3)",
                "model_selection.train_test_split(m, labels, random_state=0)",
                "metrics.accuracy_score(labels, labels)",
                "metrics.mean_squared_error(x, y)",
                "metrics.confusion_matrix(labels, labels)",
            ),
            use(
                "preprocessing.StandardScaler(copy=False).fit_transform(m)",
                SILENT,
                """
                with cowarray.lend(m):
                    preprocessing.StandardScaler(copy=False).fit_transform(m)
                """,
            ),
        ],
        distribution="scikit-learn",
    ),
    Client(
        "scikit-learn, array_api_dispatch",
        "sklearn",
        """
        import sklearn
        from sklearn import decomposition, discriminant_analysis, linear_model, metrics, preprocessing
        sklearn.set_config(array_api_dispatch=True)
        """,
        [
            *uses(
                "preprocessing.StandardScaler().fit_transform(m)",
                "preprocessing.MinMaxScaler().fit_transform(m)",
                "linear_model.Ridge(solver='svd').fit(m, y).coef_",
                "decomposition.PCA(2, svd_solver='full').fit_transform(m)",
                "discriminant_analysis.LinearDiscriminantAnalysis().fit(m, labels).predict(m)",
                "metrics.mean_squared_error(x, y)",
                "metrics.accuracy_score(labels, labels)",
                "metrics.pairwise.cosine_similarity(m)",
            ),
        ],
        distribution="scikit-learn",
        needs=("scipy",),
        environment={"SCIPY_ARRAY_API": "1"},
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_sklearn(client):
    check(__name__, client)

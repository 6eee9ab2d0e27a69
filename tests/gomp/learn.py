"""Gradient boosting and k-means, each many small regions from libraries that open no other libgomp."""
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor

points = numpy.random.default_rng(1).random((3000, 8))
values = points @ numpy.arange(8)
model = HistGradientBoostingRegressor(max_iter=10, random_state=1).fit(points, values)
means = KMeans(5, n_init=1, random_state=1).fit(points)
print(f"score {model.score(points, values):.6f}, inertia {means.inertia_:.3f}")
print("ok learn")

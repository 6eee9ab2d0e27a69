"""One query of a tree of points, on as many threads as there are."""
import numpy
from pykdtree.kdtree import KDTree

points = numpy.random.default_rng(1).random((20000, 3))
distances, places = KDTree(points).query(points[:500], k=1)
print("ok wheel" if (places == numpy.arange(500)).all() else "WRONG wheel")

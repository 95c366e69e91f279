"""GradBench's `ba`: bundle adjustment, the errors of points that cameras see, and their sparse Jacobian."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp


def cross(a, b):
    return cnp.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotated(r, x):
    """A point turned about the direction of ``r`` by its length, as Rodrigues has it."""
    square = r @ r

    def turned():
        angle = cnp.sqrt(square)
        axis = r / angle
        along, across = axis * (axis @ x), cross(axis, x)
        return x * cnp.cos(angle) + across * cnp.sin(angle) + along * (1 - cnp.cos(angle))

    # Where nothing turns there is no direction to turn about.
    return cd.cond(square > 0, turned, lambda: x + cross(r, x))


def projected(camera, point):
    """Where a camera sees a point."""
    turn, centre, focal, principal, distortion = camera[:3], camera[3:6], camera[6], camera[7:9], camera[9:]
    x = rotated(turn, point - centre)
    seen = x[:2] / x[2]
    square = seen @ seen
    return seen * (1 + distortion[0] * square + distortion[1] * square**2) * focal + principal


def reprojection(camera, point, weight, feature):
    """The two errors of an observation: where the camera sees the point, against the feature found in its picture."""
    return weight * (projected(camera, point) - feature)


def weight_error(weight):
    return 1 - weight**2


@cd.function
def errors(cameras, points, weights, features, seen_by, seen):
    return cd.vmap(reprojection)(cameras[seen_by], points[seen], weights, features), weight_error(weights)


@cd.function
def blocks(cameras, points, weights, features, seen_by, seen):
    """For each observation the derivatives by its camera, point and weight, and that of its weight's error."""
    rows = cd.vmap(cd.jacrev(reprojection, (0, 1, 2)))
    by_camera, by_point, by_weight = rows(cameras[seen_by], points[seen], weights, features)
    rows = cnp.concatenate([by_camera, by_point, by_weight[..., None]], axis=-1)
    return rows, cd.vmap(cd.grad(weight_error))(weights)


def arguments(given):
    """The benchmark describes one camera, one point, one weight and one feature, and repeats them."""
    n, m, p = given["n"], given["m"], given["p"]
    cameras, points = np.tile(given["cam"], (n, 1)), np.tile(given["x"], (m, 1))
    observations = np.arange(p)
    features = np.tile(given["feat"], (p, 1))
    return cameras, points, np.full(p, given["w"]), features, observations % n, observations % m


def objective(given):
    reprojections, of_weights = errors(*arguments(given))
    repeated = given["p"]
    return {
        "reproj_error": {"elements": reprojections[0], "repeated": repeated},
        "w_err": {"element": of_weights[0], "repeated": repeated},
    }


def jacobian(given):
    """The first entries, and the last, of each list of the matrix in compressed rows."""
    n, m, p = given["n"], given["m"], given["p"]
    *_, seen_by, seen = given_arrays = arguments(given)
    rows, by_weight = blocks(*given_arrays)
    weights = 11 * n + 3 * m + np.arange(p)
    columns = [11 * seen_by[:, None] + np.arange(11), 11 * n + 3 * seen[:, None] + np.arange(3), weights[:, None]]
    lists = {
        "rows": np.concatenate([15 * np.arange(2 * p), 30 * p + np.arange(p + 1)]),
        "cols": np.concatenate([np.repeat(np.concatenate(columns, axis=1), 2, axis=0).ravel(), weights]),
        "vals": np.concatenate([rows.ravel(), by_weight]),
    }
    return {name: np.append(of[:30], of[-1]) for name, of in lists.items()}

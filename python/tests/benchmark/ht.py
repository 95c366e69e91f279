"""GradBench's `ht`: how far points on a posed model of a hand are from measured ones, and the Jacobian by the pose."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp

FINGERS, TURNS = 5, 4


def rotation(vector):
    """The rotation about the direction of a vector by its length, as Rodrigues has it; by a small one, none."""

    def turned(angle):
        x, y, z = axis = [vector[k] / angle for k in range(3)]
        across = cnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        along = cnp.outer(cnp.array(axis), cnp.array(axis))
        return cnp.cos(angle) * cnp.eye(3) + cnp.sin(angle) * across + (1 - cnp.cos(angle)) * along

    angle = cd.linalg.norm(vector)
    return cd.cond(angle < 1e-4, lambda _: cnp.eye(3), turned, angle)


def turn(bend, spread):
    """The transformation that turns about x and then about z."""
    cx, sx, cz, sz = cnp.cos(bend), cnp.sin(bend), cnp.cos(spread), cnp.sin(spread)
    rows = [[cz, -sz * cx, sz * sx, 0.0], [sz, cz * cx, -cz * sx, 0.0], [0.0, sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]]
    return cnp.array(rows)


def turns(theta):
    """How each bone turns; ``None`` for the wrist, the first bone of each finger and the forearm, which do not."""
    found = [None]
    for finger in range(FINGERS):
        bend, spread, second, third = (theta[6 + TURNS * finger + k] for k in range(TURNS))
        found += [None, turn(bend, spread), turn(second, 0.0), turn(third, 0.0)]
    return [*found, None]


def vertices(theta, model, parents):
    """The vertices of the hand in its pose: each is carried by the bones, by its weights."""
    bones = []
    for k, (parent, turned) in enumerate(zip(parents, turns(theta))):
        relative = model["relatives"][k]
        relative = relative if turned is None else relative @ turned
        bones.append(relative if parent < 0 else bones[parent] @ relative)
    carriers = (cnp.stack(bones) @ model["inverses"])[:, :3]
    carried = cnp.einsum("vb,bk->vk", model["weights"], carriers.reshape(-1, 12)).reshape(-1, 3, 4)
    placed = cnp.einsum("vij,vj->vi", carried, model["positions"])
    facing = rotation(theta[:3]) * cnp.stack([model["mirror"], 1.0, 1.0])
    return placed @ facing.T + theta[3:6]


def error(u, corners, point):
    """How far a point is from the one of a triangle that has these coordinates."""
    return point - (u[0] * corners[0] + u[1] * corners[1] + (1 - u[0] - u[1]) * corners[2])


@cd.function(static_argnames="parents")
def errors_of_vertices(theta, model, numbers, points, parents):
    return points - vertices(theta, model, parents)[numbers]


@cd.function(static_argnames="parents")
def errors_in_triangles(theta, us, model, triangles, points, parents):
    return cd.vmap(error)(us, vertices(theta, model, parents)[triangles], points)


@cd.function(static_argnames="parents")
def jacobian_in_triangles(theta, us, model, triangles, points, parents):
    """For each error its derivatives by the two coordinates of its point, and by the pose."""
    by_us = cd.vmap(cd.jacfwd(error))(us, vertices(theta, model, parents)[triangles], points)
    by_pose = cd.jacfwd(errors_in_triangles)(theta, us, model, triangles, points, parents=parents)
    return cnp.concatenate([by_us, by_pose], axis=-1)


def arguments(given):
    data, model = given["data"], given["data"]["model"]
    theta, us, points = (np.array(x, dtype=float) for x in (given["theta"], given["us"], data["points"]))
    numbers = np.array(data["correspondences"])
    hand = {
        "relatives": np.array(model["base_relatives"]),
        "inverses": np.array(model["inverse_base_absolutes"]),
        "positions": np.array(model["base_positions"]),
        "weights": np.array(model["weights"]),
        "mirror": -1.0 if model["is_mirrored"] else 1.0,
    }
    # What bones hang on is a part of the program, which is traced for a hand of these.
    parents = {"parents": tuple(model["parents"])}
    if len(us) > 0:
        return (theta, us, hand, np.array(model["triangles"])[numbers], points), parents
    return (theta, hand, numbers, points), parents


def objective(given):
    positional, parents = arguments(given)
    return (errors_in_triangles if given["us"] else errors_of_vertices)(*positional, **parents)


def jacobian(given):
    positional, parents = arguments(given)
    return (jacobian_in_triangles if given["us"] else cd.jacfwd(errors_of_vertices))(*positional, **parents)

// What tools that record need to know of each function: what is recorded, and which derivatives of it are asked for.
//
// A tool has a type `Active` for numbers, and makes `Recorded` of a function from vectors to vectors at a point; the
// recording is not timed, as in the benchmark. It has
//     void gradient(double *g)                       the gradient of the only result
//     void hessian_by(const Vector &v, Vector &g, Vector &h)   and the product of its Hessian with a vector
//     void at(const double *x)                       another point, at which every branch goes the same way
//     void jacobian(double *rows)                    all partial derivatives
//     void along(const Vector &directions, int n, double *rows)    n directional derivatives of each result
#pragma once

#include "inputs.hpp"

namespace tapes {

using namespace inputs;

template <typename Tool> struct Tapes {
    using T = typename Tool::Active;
    using Recorded = typename Tool::Recorded;

    template <typename In, typename F>
    static Prepared gradient(In in, const Vector In::*at, F f, std::vector<size_t> sizes = {}) {
        auto held = std::make_shared<In>(std::move(in));
        const Vector &x = (*held).*at;
        if (sizes.empty()) sizes = {x.size()};
        auto tape = std::make_shared<Recorded>(x, 1, [held, f](const T *x, T *y) { y[0] = f(*held, x); });
        auto g = std::make_shared<Vector>(x.size());
        return {[=] { tape->gradient(g->data()); }, [=] { print(g->data(), sizes); }};
    }

    static Prepared gmm(const Json &json) {
        auto in = std::make_shared<Gmm>(json);
        auto tape = std::make_shared<Recorded>(in->mixture, 1, [in](const T *z, T *y) { y[0] = in->objective(z); });
        auto g = std::make_shared<Vector>(in->mixture.size());
        return {[=] { tape->gradient(g->data()); }, [=] { in->write(g->data()); }};
    }

    // One observation is recorded, and replayed for each.
    static Prepared ba(const Json &json) {
        auto in = std::make_shared<Ba>(json);
        Vector z(15);
        in->arguments(0, z.data());
        const double *feature = in->features.data();
        auto tape = std::make_shared<Recorded>(z, 2, [feature](const T *z, T *y) {
            functions::reprojection(z, z + 11, z[14], feature, y);
        });
        auto values = std::make_shared<Vector>(31 * size_t(in->p));
        auto run = [=] {
            double z[15];
            for (int i = 0; i < in->p; i++) {
                in->arguments(i, z);
                tape->at(z);
                tape->jacobian(&(*values)[30 * size_t(i)]);
            }
            for (int i = 0; i < in->p; i++) (*values)[30 * size_t(in->p) + i] = -2 * in->weights[i];
        };
        return {run, [=] { in->write_jacobian(*values); }};
    }

    // Each point has coordinates of its own, so that one direction is enough for those of all points.
    static Prepared ht(const Json &json) {
        auto in = std::make_shared<Ht>(json);
        Vector z = in->us;
        z.insert(z.end(), in->theta.begin(), in->theta.end());
        size_t errors = 3 * in->hand.size(), us = in->us.size(), width = in->directions;
        auto tape = std::make_shared<Recorded>(
            z, errors, [in, us](const T *z, T *y) { functions::hand(in->hand, z + us, z, y); });
        Vector directions(z.size() * width);
        for (size_t i = 0; i < us; i++) directions[i * width + i % 2] = 1;
        for (size_t j = 0; j < 26; j++) directions[(us + j) * width + width - 26 + j] = 1;
        auto rows = std::make_shared<Vector>(errors * width);
        return {[=] { tape->along(directions, int(width), rows->data()); }, [=] { print(rows->data(), {errors, width}); }};
    }

    // The Hessian is diagonal, so that its product with ones is the diagonal.
    static Prepared kmeans(const Json &json) {
        auto in = std::make_shared<Kmeans>(json);
        auto tape = std::make_shared<Recorded>(in->centroids, 1, [in](const T *z, T *y) { y[0] = in->objective(z); });
        auto g = std::make_shared<Vector>(in->centroids.size()), h = std::make_shared<Vector>(g->size());
        Vector ones(g->size(), 1.0);
        auto run = [=] {
            tape->hessian_by(ones, *g, *h);
            for (size_t i = 0; i < g->size(); i++) (*g)[i] /= (*h)[i];
        };
        return {run, [=] { print(g->data(), {size_t(in->k), size_t(in->d)}); }};
    }

    // The start is recorded as well: what follows from its being zero is known to no other implementation.
    static Prepared ode_by_start(const Json &json) {
        auto in = std::make_shared<Curve>(ode(json));
        size_t n = in->x.size();
        Vector z = in->x;
        z.resize(2 * n);
        auto tape = std::make_shared<Recorded>(z, 1, [in, n](const T *z, T *y) {
            std::vector<T> state(z + n, z + 2 * n);
            functions::ode(int(n), in->n, z, state.data());
            y[0] = state.back();
        });
        auto g = std::make_shared<Vector>(2 * n);
        return {[=] { tape->gradient(g->data()); }, [=] { print(g->data(), {n}); }};
    }

    static Functions functions_by_tape() {
        return {
            {{"gmm", "jacobian"}, gmm},
            {{"ba", "jacobian"}, ba},
            {{"ht", "jacobian"}, ht},
            {{"kmeans", "dir"}, kmeans},
            {{"lstm", "jacobian"},
             [](const Json &in) { return gradient(Lstm(in), &Lstm::parameters, [](const Lstm &l, const T *z) { return l.objective(z); }); }},
            {{"lse", "gradient"}, [](const Json &in) { return gradient(lse(in), &Curve::x, lse_of<T>); }},
            {{"llsq", "gradient"}, [](const Json &in) { return gradient(llsq(in), &Curve::x, llsq_of<T>); }},
            {{"det", "gradient"}, [](const Json &in) { return gradient(det(in), &Curve::x, det_of<T>); }},
            {{"ode", "gradient"}, ode_by_start},
        };
    }
};

} // namespace tapes

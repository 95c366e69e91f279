// Gradient descent, and the two functions of the benchmark that differentiate through it, for any way to differentiate.
//
// A way has a static member `gradient(f, x, g)`, which makes of a function `f` for every type of numbers the gradient
// `g` at `x`, both vectors of one type of numbers, which may themselves be differentiated.
#pragma once

#include "inputs.hpp"

namespace descent {

using namespace inputs;
using functions::worth;

template <typename T> T norm(const std::vector<T> &x) {
    using std::sqrt;
    T sum(0.0);
    for (const T &part : x) sum += part * part;
    return sqrt(sum);
}

// The step doubles after ten successes and halves after a failure; the benchmark asks for this solver.
template <typename Way, typename T, typename F> std::vector<T> argmin(const F &f, std::vector<T> x) {
    std::vector<T> slope(x.size()), next(x.size()), gap(x.size());
    T value = f(x.data());
    Way::gradient(f, x, slope);
    double step = 1e-5;
    for (int successes = 0; worth(norm(slope)) > 1e-5;) {
        if (successes == 10) {
            step *= 2;
            successes = 0;
            continue;
        }
        for (size_t i = 0; i < x.size(); i++) {
            next[i] = x[i] - slope[i] * step;
            gap[i] = x[i] - next[i];
        }
        if (worth(norm(gap)) <= 1e-5) break;
        T there = f(next.data());
        if (worth(there) < worth(value)) {
            x = next;
            value = there;
            Way::gradient(f, x, slope);
            successes++;
        } else {
            step /= 2;
            successes = 0;
        }
    }
    return x;
}

// The square of where a particle lands that starts at (0, 8) and is driven away from two charges.
template <typename Inner> struct Miss {
    template <typename T> T operator()(const T *w) const {
        auto potential = [&](const auto *x) {
            using U = std::decay_t<decltype(*x)>;
            using std::sqrt;
            U sum(0.0), charges[2][2] = {{U(10.0), U(10.0) - U(*w)}, {U(10.0), U(0.0)}};
            for (auto &charge : charges) {
                U dx = x[0] - charge[0], dy = x[1] - charge[1];
                sum += 1.0 / sqrt(dx * dx + dy * dy);
            }
            return sum;
        };
        constexpr double DT = 0.1;
        std::vector<T> x{T(0.0), T(8.0)}, v{T(0.75), T(0.0)}, field(2);
        while (worth(x[1] + v[1] * DT) > 0) {
            Inner::gradient(potential, x, field);
            for (int i = 0; i < 2; i++) {
                x[i] += v[i] * DT;
                v[i] -= field[i] * DT;
            }
        }
        T landing = x[0] - v[0] * x[1] / v[1];
        return landing * landing;
    }
};

template <typename Outer, typename Inner> Prepared particle(const Json &in) {
    auto result = std::make_shared<double>(), w = std::make_shared<double>(in["w"].number());
    return {[=] { *result = argmin<Outer>(Miss<Inner>{}, Vector{*w})[0]; }, [=] { print(result.get(), {}); }};
}

// Where (x₁² + y₁²) − (x₂² + y₂²) is least by the first two of what is greatest by the last two.
template <typename Inner> struct Greatest {
    Vector start;

    template <typename T> std::vector<T> second(const T *first) const {
        return argmin<Inner>(lower(first), std::vector<T>(start.begin(), start.end()));
    }

    template <typename T> T operator()(const T *first) const { return -lower(first)(second(first).data()); }

    template <typename T> static auto lower(const T *first) {
        return [first](const auto *second) {
            using U = std::decay_t<decltype(*second)>;
            return second[0] * second[0] + second[1] * second[1] - U(first[0] * first[0] + first[1] * first[1]);
        };
    }
};

template <typename Outer, typename Inner> Prepared saddle(const Json &in) {
    auto result = std::make_shared<Vector>();
    Greatest<Inner> greatest{in["start"].numbers};
    auto run = [=] {
        *result = argmin<Outer>(greatest, greatest.start);
        Vector second = greatest.second(result->data());
        result->insert(result->end(), second.begin(), second.end());
    };
    return {run, [=] { print(result->data(), {4}); }};
}

// The four modes by ways that go forward and back.
template <typename Forward, typename Reverse> void add(Functions &to) {
    to[{"particle", "ff"}] = particle<Forward, Forward>;
    to[{"particle", "fr"}] = particle<Forward, Reverse>;
    to[{"particle", "rf"}] = particle<Reverse, Forward>;
    to[{"particle", "rr"}] = particle<Reverse, Reverse>;
    to[{"saddle", "ff"}] = saddle<Forward, Forward>;
    to[{"saddle", "fr"}] = saddle<Forward, Reverse>;
    to[{"saddle", "rf"}] = saddle<Reverse, Forward>;
    to[{"saddle", "rr"}] = saddle<Reverse, Reverse>;
}

} // namespace descent

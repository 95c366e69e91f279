// The derivatives of the benchmark's functions by CppAD: recorded, optimised where that pays, and replayed.

#include <cppad/cppad.hpp>

namespace functions {
inline double worth(double x);
template <typename Base> double worth(const CppAD::AD<Base> &x) { return worth(CppAD::Value(CppAD::Var2Par(x))); }
using CppAD::cos;
using CppAD::exp;
using CppAD::log;
using CppAD::sin;
using CppAD::sqrt;
using CppAD::tanh;
} // namespace functions

#include "descent.hpp"
#include "tapes.hpp"

struct Tool {
    using Active = CppAD::AD<double>;

    class Recorded {
        CppAD::ADFun<double> tape;
        Vector x;
        size_t results;

      public:
        Recorded(const Vector &at, size_t results, const std::function<void(const Active *, Active *)> &f)
            : x(at), results(results) {
            std::vector<Active> in(at.begin(), at.end()), out(results);
            CppAD::Independent(in);
            f(in.data(), out.data());
            tape.Dependent(in, out);
            tape.optimize("no_compare_op");
        }
        void gradient(double *g) {
            tape.Forward(0, x);
            Vector by = tape.Reverse(1, Vector{1.0});
            std::copy(by.begin(), by.end(), g);
        }
        void hessian_by(const Vector &v, Vector &g, Vector &h) {
            tape.Forward(0, x);
            tape.Forward(1, v);
            Vector by = tape.Reverse(2, Vector{1.0});
            for (size_t i = 0; i < x.size(); i++) {
                g[i] = by[2 * i];
                h[i] = by[2 * i + 1];
            }
        }
        void at(const double *z) { std::copy_n(z, x.size(), x.begin()); }
        void jacobian(double *rows) {
            tape.Forward(0, x);
            Vector w(results);
            for (size_t i = 0; i < results; i++) {
                w[i] = 1;
                Vector by = tape.Reverse(1, w);
                std::copy(by.begin(), by.end(), rows + i * x.size());
                w[i] = 0;
            }
        }
        void along(const Vector &directions, int n, double *rows) {
            tape.Forward(0, x);
            Vector all = tape.Forward(1, size_t(n), directions);
            std::copy(all.begin(), all.end(), rows);
        }
    };
};

// Descents take other ways from point to point, so that each gradient records anew; tapes are recorded on tapes.
struct Recording {
    template <typename F, typename T> static CppAD::ADFun<T> of(const F &f, const std::vector<T> &x) {
        std::vector<CppAD::AD<T>> in(x.begin(), x.end()), out(1);
        CppAD::Independent(in);
        out[0] = f(in.data());
        return {in, out};
    }
};

struct Forward {
    template <typename F, typename T> static void gradient(const F &f, const std::vector<T> &x, std::vector<T> &g) {
        auto tape = Recording::of(f, x);
        for (size_t i = 0; i < x.size(); i++) {
            std::vector<T> direction(x.size(), T(0.0));
            direction[i] = T(1.0);
            g[i] = tape.Forward(1, direction)[0];
        }
    }
};

struct Reverse {
    template <typename F, typename T> static void gradient(const F &f, const std::vector<T> &x, std::vector<T> &g) {
        g = Recording::of(f, x).Reverse(1, std::vector<T>{T(1.0)});
    }
};

int main(int count, char **words) {
    Functions functions = tapes::Tapes<Tool>::functions_by_tape();
    descent::add<Forward, Reverse>(functions);
    return inner(count, words, functions);
}

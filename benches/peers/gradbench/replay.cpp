// Gradients by CppAD of functions recorded once: `replay FUNCTION SIZE optimize|as-recorded`. The first line is the point;
// then `gradient` is answered by the gradient, and `time N` by the seconds of N replays.

#include <algorithm>
#include <chrono>
#include <cppad/cppad.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using Active = CppAD::AD<double>;

static Active rosenbrock(const std::vector<Active> &x) {
    auto term = [](const Active &a, const Active &b) -> Active {
        Active bend = b - a * a, across = 1.0 - a;
        return bend * bend * 100.0 + across * across;
    };
    Active sum = term(x[0], x[1]);
    for (size_t i = 1; i + 1 < x.size(); i++)
        sum = sum + term(x[i], x[i + 1]);
    return sum;
}

static Active logsumexp(const std::vector<Active> &x, double largest) {
    Active sum = exp(x[0] - largest);
    for (size_t i = 1; i < x.size(); i++)
        sum = sum + exp(x[i] - largest);
    return log(sum) + largest;
}

static Active product(const std::vector<Active> &x, size_t n) {
    auto entry = [&](size_t i, size_t j) {
        Active sum = x[i * n] * x[n * n + j];
        for (size_t k = 1; k < n; k++)
            sum = sum + x[i * n + k] * x[n * n + k * n + j];
        return sum;
    };
    Active sum = entry(0, 0);
    for (size_t at = 1; at < n * n; at++)
        sum = sum + entry(at / n, at % n);
    return sum;
}

static Active logistic(const std::vector<Active> &x, size_t steps) {
    Active y = x[1];
    for (size_t i = 0; i < steps; i++)
        y = x[0] * y * (1.0 - y);
    return y;
}

int main(int count, char **words) {
    if (count != 4)
        return 2;
    std::string function = words[1];
    size_t size = std::stoul(words[2]), variables;
    std::cin >> variables;
    std::vector<double> x(variables), weight{1.0}, gradient(variables);
    for (double &number : x)
        std::cin >> number;
    std::vector<Active> in(x.begin(), x.end()), out(1);
    CppAD::Independent(in);
    if (function == "rosenbrock")
        out[0] = rosenbrock(in);
    else if (function == "logsumexp")
        out[0] = logsumexp(in, *std::max_element(x.begin(), x.end()));
    else if (function == "product")
        out[0] = product(in, size);
    else if (function == "logistic")
        out[0] = logistic(in, size);
    else
        return 2;
    CppAD::ADFun<double> tape(in, out);
    if (std::string(words[3]) == "optimize")
        tape.optimize();
    auto replay = [&] {
        tape.Forward(0, x);
        gradient = tape.Reverse(1, weight);
    };
    std::cout << "recorded" << std::endl;
    std::string request;
    while (std::cin >> request) {
        if (request == "gradient") {
            replay();
            for (double g : gradient)
                std::printf("%.17g ", g);
            std::printf("\n");
            std::fflush(stdout);
        } else {
            unsigned repeats;
            std::cin >> repeats;
            auto start = std::chrono::steady_clock::now();
            for (unsigned i = 0; i < repeats; i++)
                replay();
            std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            std::printf("%.17g\n", taken.count());
            std::fflush(stdout);
        }
    }
}

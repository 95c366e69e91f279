# The gradient of k-means in Julia: the C file that catadiff prints, compiled and called with ccall.
#
#     catadiff emit kmeans.fut -e cost --derivative grad --wrt centres --name cost_gradient --to .
#     cc -O2 -march=native -std=c11 -ffp-contract=off -shared -fPIC -o libkmeans.so cost_gradient.c
#     julia kmeans.jl ./libkmeans.so

using Libdl

const library = dlopen(ARGS[1])
const workspace_size = dlsym(library, :cost_gradient_workspace)
const call = dlsym(library, :cost_gradient)

# Rows of the C function are columns here: Julia's first dimension runs fastest.
function gradient(points::Matrix{Float64}, centres::Matrix{Float64})
    d, n = size(points)
    _, k = size(centres)
    bytes = Ref{Int64}(ccall(workspace_size, Int64, (Int64, Int64, Int64, Int64), n, d, k, d))
    # The workspace begins at a multiple of 64.
    memory = Vector{UInt8}(undef, bytes[] + 64)
    result, sizes = similar(centres), zeros(Int64, 2)
    status = GC.@preserve memory begin
        start = Ptr{Cvoid}((UInt(pointer(memory)) + 63) & ~UInt(63))
        ccall(call, Cint,
              (Ptr{Float64}, Int64, Int64, Ptr{Float64}, Int64, Int64, Ptr{Float64}, Int64, Ptr{Int64}, Ptr{Cvoid}, Ptr{Int64}),
              points, n, d, centres, k, d, result, length(result), sizes, start, bytes)
    end
    status == 0 || error("the function returns $status: see its header")
    return result
end

found = gradient([0.0 1.0 4.0 5.0; 0.0 0.5 4.0 3.0], [0.5 4.0; 0.0 3.0])
println(found)
@assert found == [0.0 -2.0; -1.0 -2.0]

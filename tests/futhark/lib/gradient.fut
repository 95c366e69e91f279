-- | The gradient of a function to one number.
def grad 'a (f: a -> f64) (x: a) : a = vjp f x 1f64

//! temp
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}
pub fn digamma(x: f64) -> f64 {
    x.ln()
}
pub fn polygamma(_n: u32, x: f64) -> f64 {
    x
}

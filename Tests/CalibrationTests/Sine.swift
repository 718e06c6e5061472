#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum Sine {
  /// - Parameter turns: the phase in whole turns.
  static func value(of turns: Double) -> Double { sin(2 * .pi * turns) }
}

extension Double {
  static func exp10(_ exponent: Double) -> Double { pow(10, exponent) }
}

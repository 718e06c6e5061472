extension Duration {
  /// Whole nanoseconds, rounded towards zero and clamped to the range of 64 bits (292 years).
  public var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    return product.addingClamped(attoseconds / 1_000_000_000)
  }

  /// Seconds as a fraction, for arithmetic with rates.
  public var inSeconds: Double { Double(inNanoseconds) / 1e9 }

  /// Milliseconds as a fraction, for display.
  public var inMilliseconds: Double { Double(inNanoseconds) / 1e6 }

  /// The duration without its sign.
  public var magnitude: Duration { self < .zero ? .zero - self : self }

  /// Creates a duration from seconds.
  ///
  /// - Parameter seconds: clamped to ±9.2 × 10⁹; not-a-number becomes zero. `Duration.seconds(_:)` traps on both, which
  ///   a value from a file or a peer must not cause.
  public init(clampingSeconds seconds: Double) {
    self = .nanoseconds(Int64(clampingSeconds: seconds))
  }
}

extension Int64 {
  /// The nanoseconds in `seconds`, rounded to the nearest one, clamped to the range of `Int64`.
  init(clampingSeconds seconds: Double) {
    let nanoseconds = (seconds * 1e9).rounded()
    if nanoseconds.isNaN {
      self = 0
    } else if nanoseconds >= 0x1p63 {
      self = .max
    } else if nanoseconds <= -0x1p63 {
      self = .min
    } else {
      self = Int64(nanoseconds)
    }
  }

  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

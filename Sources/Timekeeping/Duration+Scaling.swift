extension Int {
  /// The whole number nearest to `value`, clamped to the range of `Int`; not-a-number becomes zero. `Int.init` traps on
  /// values outside that range.
  public init(clampingRounded value: Double) {
    let rounded = value.rounded()
    if rounded.isNaN {
      self = 0
    } else {
      self = Int(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }
  }
}

/// Arithmetic with factors that come from peers, files and players.
///
/// The standard library's operators trap on results outside their range, so that one message from a peer would end the
/// program. A module that imports Timekeeping uses these instead: they clamp the result.
extension Duration {
  /// The duration times `factor`, clamped to ±9.2 × 10⁹ s; zero where the product is not a number.
  public static func * (duration: Duration, factor: Double) -> Duration {
    Duration(clampingSeconds: duration.inSeconds * factor)
  }

  /// The duration divided by `divisor`, clamped to ±9.2 × 10⁹ s; zero for 0 ÷ 0.
  public static func / (duration: Duration, divisor: Double) -> Duration {
    Duration(clampingSeconds: duration.inSeconds / divisor)
  }

  /// A duration of `seconds`, clamped to ±9.2 × 10⁹; not-a-number becomes zero.
  public static func seconds(_ seconds: Double) -> Duration { Duration(clampingSeconds: seconds) }

  /// A duration of `milliseconds`, clamped to ±9.2 × 10¹²; not-a-number becomes zero.
  public static func milliseconds(_ milliseconds: Double) -> Duration {
    Duration(clampingSeconds: milliseconds / 1e3)
  }

  /// A duration of `microseconds`, clamped to ±9.2 × 10¹⁵; not-a-number becomes zero.
  public static func microseconds(_ microseconds: Double) -> Duration {
    Duration(clampingSeconds: microseconds / 1e6)
  }
}

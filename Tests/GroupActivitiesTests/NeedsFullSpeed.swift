import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For floods that a machine must read quickly enough not to take the other participants for
  /// silent: the Thread Sanitizer makes it ten times as slow.
  static var needsFullSpeed: Self {
    .disabled(
      if: ProcessInfo.processInfo.environment["SANITIZER"] == "thread", "too slow with TSan")
  }
}

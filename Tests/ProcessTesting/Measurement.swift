import Foundation

/// Measuring belongs to a benchmark: on a busy machine only that would fail.
package enum Measurement {
  /// Set by `make bench-player` and `make bench-cluster`.
  package static let isWanted = ProcessInfo.processInfo.environment["MEASURE"] != nil
}

import Foundation

/// The switch for measurements, which belong to a benchmark: on a busy machine they would fail.
package enum Measurement {
  /// Set by `make bench-player` and `make bench-cluster`.
  package static let isWanted = ProcessInfo.processInfo.environment["MEASURE"] != nil
}

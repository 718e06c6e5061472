import Foundation
import Timekeeping

/// A property that is encoded as null, not left out, while it has no value.
@propertyWrapper
package struct Nullable<Value: Encodable & Hashable & Sendable>: Hashable, Sendable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension Nullable: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}

/// A date that is encoded as ISO 8601, to a second.
@propertyWrapper
package struct Timestamp: Hashable, Sendable {
  package var wrappedValue: Date

  /// - Parameter wrappedValue: a date; its fraction of a second is dropped.
  package init(wrappedValue: Date) {
    self.wrappedValue = Date(
      timeIntervalSinceReferenceDate: wrappedValue.timeIntervalSinceReferenceDate.rounded(.down))
  }
}

extension Timestamp: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue.formatted(.iso8601))
  }
}

extension Double {
  /// The value, rounded to this number of decimal digits.
  package func rounded(to digits: Int) -> Double {
    let factor = pow(10, Double(digits))
    return (self * factor).rounded() / factor
  }
}

extension Duration {
  /// The milliseconds, rounded as they are printed.
  package var printedMilliseconds: Double { inMilliseconds.rounded(to: 3) }
}

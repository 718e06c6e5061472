import GroupActivities

/// The subjects in the space of a party's pages.
struct PageSubjects: Hashable, Sendable {
  /// The subject at which all doors hear a page that looks for one.
  let doors: String

  init(_ admission: AdmissionKey) {
    doors = PartySubjects(admissionPublicKey: admission.publicKey).prefix + ".door"
  }

  /// Returns the subject at which one door hears its pages.
  func door(_ id: PageID) -> String { "\(doors).\(id)" }

  /// Returns the subject at which a page hears its door.
  func page(_ id: PageID) -> String { "\(doors.dropLast(4))page.\(id)" }
}

/// A random number that names one opening of a page, or one run of a door.
struct PageID: Hashable, Sendable, CustomStringConvertible {
  static let count = 16
  let bytes: [UInt8]

  /// - Returns: nil unless there are 16 bytes.
  init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.count else { return nil }
  }

  /// - Returns: nil unless the text has 32 hexadecimal digits.
  init?(hex text: String) {
    guard let bytes = [UInt8](hex: text) else { return nil }
    self.init(bytes)
  }

  init(using random: inout any RandomNumberGenerator & Sendable) {
    bytes = .random(Self.count, using: &random)
  }

  var description: String { bytes.hex }
}

extension [UInt8] {
  /// Pairs of lower-case hexadecimal digits.
  var hex: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// - Returns: nil for other characters than pairs of hexadecimal digits.
  init?(hex text: String) {
    let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
    }
  }

  static func random(_ count: Int, using random: inout any RandomNumberGenerator & Sendable)
    -> [UInt8]
  {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}

/// One line of `matinee doctor`.
struct DoctorFinding: Hashable, Sendable {
  enum Grade: Hashable, Sendable {
    case good
    /// Something is missing, but the rest works.
    case notice
    case bad
  }

  var grade: Grade
  var subject: String
  var text: String

  static func good(_ subject: String, _ text: String) -> Self {
    Self(grade: .good, subject: subject, text: text)
  }

  static func notice(_ subject: String, _ text: String) -> Self {
    Self(grade: .notice, subject: subject, text: text)
  }

  /// As it is printed.
  var line: String {
    let mark =
      switch grade {
      case .good: "ok  "
      case .notice: "note"
      case .bad: "FAIL"
      }
    let padding = String(repeating: " ", count: max(0, 11 - subject.count))
    return "\(mark)  \(subject)\(padding) \(text)"
  }
}

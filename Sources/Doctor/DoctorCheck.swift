/// An independent part of `matinee doctor`.
package struct DoctorCheck: Sendable {
  package var subject: String
  /// The text that is shown while the check runs.
  package var progress: String
  package var findings: @Sendable () async -> [DoctorFinding]

  package init(
    subject: String, progress: String, findings: @escaping @Sendable () async -> [DoctorFinding]
  ) {
    self.subject = subject
    self.progress = progress
    self.findings = findings
  }
}

import ArgumentParser
import Doctor
import Foundation

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this system and suggest fixes.",
    discussion: """
      Each line says “ok”, “note” (something is missing, the rest works) or “FAIL”. The exit status is 1 if there is a \
      “FAIL”.
      """)

  /// Runs all checks at the same time, and shows each as soon as it ends.
  func run() async throws {
    let checks = DoctorCheck.all
    var report = DoctorReport(checks.map { ($0.subject, $0.progress) })
    var output = DoctorOutput()
    output.begin(report)
    let errors = SilentErrors()
    await withTaskGroup(of: (Int, [DoctorFinding]).self) { group in
      for (index, check) in checks.enumerated() {
        group.addTask { (index, await check.findings()) }
      }
      for await (index, findings) in group {
        report.checkEnded(index, findings)
        output.checkEnded(findings, report)
      }
    }
    errors.end()
    output.end(report)
    if report.hasFailure { throw ExitCode.failure }
  }
}

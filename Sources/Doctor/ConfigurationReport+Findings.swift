import GroupActivities
import MPVPlayer

extension ConfigurationReport {
  /// The findings of `matinee doctor`.
  var findings: [DoctorFinding] {
    let notices = problems.map { PartyText.clean($0, limit: 300) } + (overriding.map { [$0] } ?? [])
    guard !notices.isEmpty else { return [.good("mpv.conf", "no problems")] }
    return notices.map { .notice("mpv.conf", $0) }
  }

  private var overriding: String? {
    guard !overridden.isEmpty else { return nil }
    return "no effect here, since Matinee sets them: \(overridden.joined(separator: ", "))"
  }
}

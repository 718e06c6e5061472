import AVFormat
import GroupActivities

extension MediaInformation {
  /// The title in the file's headers, as it is shown; nil without one.
  package var shownTitle: String? {
    title.map { PartyText.clean($0, limit: 200) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

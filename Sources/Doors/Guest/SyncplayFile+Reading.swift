import AVFormat
import Concurrency
import Foundation
import GroupActivities

extension SyncplayFile {
  /// Reads the description of the file at a path; nil if it is no film.
  static func read(_ path: String) async -> SyncplayFile? {
    await OwnedThread.run("read film") {
      guard let information = MediaInformation.read(path) else { return nil }
      return SyncplayFile(
        name: PartyText.clean((path as NSString).lastPathComponent, limit: nameLimit),
        duration: information.duration?.inSeconds ?? 0, size: "\(information.size)")
    }
  }
}

import Foundation
import GroupActivities

/// Who this user is in one party: the same from run to run, but for a second program at the same time, which is
/// somebody else.
final class PartySeat: Sendable {
  let identity: ParticipantIdentity
  /// Whether it is this user's own in this party, and no other program's now.
  let isKept: Bool
  /// When this program came in.
  let since = Date()
  private let lock: CInt?
  private let path: String?

  /// - Parameters:
  ///   - kept: from an earlier run; nil for none.
  ///   - folder: where the programs of this user agree on who takes it; nil where nothing is remembered.
  init(in party: Participant.ID, kept: ParticipantIdentity?, folder: String?) {
    let path = Self.path(of: party, in: folder)
    self.path = path
    lock = path.flatMap(Self.take)
    isKept = lock != nil
    identity = isKept ? kept ?? ParticipantIdentity() : ParticipantIdentity()
  }

  /// The creator's, of a new party.
  init(founding: Party.Founding, folder: String?) {
    let path = Self.path(of: founding.party, in: folder)
    self.path = path
    lock = path.flatMap(Self.take)
    isKept = lock != nil
    identity = founding.identity
  }

  deinit {
    guard let lock else { return }
    // Before it is given back: whoever opens it then makes another one.
    if let path { unlink(path) }
    close(lock)
  }

  private static func path(of party: Participant.ID, in folder: String?) -> String? {
    guard let folder else { return nil }
    removeAbandoned(in: folder)
    return folder + "/party-\(party).lock"
  }

  /// Removes the files of programs that ended without removing theirs: those aren't locked.
  private static func removeAbandoned(in folder: String) {
    // Only tidiness depends on it.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix("party-") && name.hasSuffix(".lock") {
      let path = folder + "/" + name
      guard let descriptor = take(path) else { continue }
      unlink(path)
      close(descriptor)
    }
  }

  /// The kernel gives it back however the process ends.
  private static func take(_ path: String) -> CInt? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    var (own, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &own) == 0,
      stat(path, &named) == 0, own.st_ino == named.st_ino
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}

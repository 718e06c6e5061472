import Foundation
import GroupActivities

/// This user's identity in one party. It is the same in every run; but a second program that runs at the same time gets
/// another identity.
final class PartySeat: Sendable {
  let identity: ParticipantIdentity
  /// A Boolean value that indicates whether this program holds the user's remembered identity in the party, and no
  /// other program does.
  let isKept: Bool
  /// The time at which this program entered the party.
  let since = Date()
  private let lock: CInt?
  private let path: String?

  /// - Parameters:
  ///   - kept: the identity from an earlier run; nil for none.
  ///   - folder: the folder of the lock with which the user's programs agree on the identity's holder; nil if nothing
  ///     is remembered.
  init(in party: Participant.ID, kept: ParticipantIdentity?, folder: String?) {
    let path = Self.path(of: party, in: folder)
    self.path = path
    lock = path.flatMap(Self.take)
    isKept = lock != nil
    identity = isKept ? kept ?? ParticipantIdentity() : ParticipantIdentity()
  }

  /// Takes the founder's seat in a new party.
  init(founding: Party.Founding, folder: String?) {
    let path = Self.path(of: founding.party, in: folder)
    self.path = path
    lock = path.flatMap(Self.take)
    isKept = lock != nil
    identity = founding.identity
  }

  deinit {
    guard let lock else { return }
    // The file is removed before it is unlocked: a program that opens the path afterwards creates a new file.
    if let path { unlink(path) }
    close(lock)
  }

  private static func path(of party: Participant.ID, in folder: String?) -> String? {
    guard let folder else { return nil }
    removeAbandoned(in: folder)
    return folder + "/party-\(party).lock"
  }

  /// Removes the files of programs that ended without removing theirs. Such files aren't locked.
  private static func removeAbandoned(in folder: String) {
    // A failure only leaves unused files behind.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix("party-") && name.hasSuffix(".lock") {
      let path = folder + "/" + name
      guard let descriptor = take(path) else { continue }
      unlink(path)
      close(descriptor)
    }
  }

  /// Opens and locks a file. The kernel releases the lock when the process ends in any way.
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

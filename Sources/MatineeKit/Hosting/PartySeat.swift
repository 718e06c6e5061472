import Foundation
import GroupActivities
import MediaLibrary

/// This user's identity in one party. It is the same in every run; but a second program that runs at the same time gets
/// another identity.
final class PartySeat: Sendable {
  /// The facts about the party from earlier runs, as far as this program may use them.
  enum Memory: Hashable, Sendable {
    /// This run remembers nothing.
    case off
    /// Another program of this user is in the party, and holds the remembered identity.
    case elsewhere
    /// The user is in this party for the first time.
    case empty
    /// The user was in this party before: under which name, and its rules with their history, if they were kept.
    case kept(name: String, policyLog: Data?)
    /// There may be an identity, but it can't be read. It must not be replaced.
    case unreadable(reason: String)
  }

  let identity: ParticipantIdentity
  let memory: Memory
  /// The time at which this program entered the party.
  let since = Date()
  private let lock: SeatLock?

  /// A Boolean value that indicates whether this program holds the user's remembered identity in the party, so that it
  /// may be remembered again.
  var isKept: Bool {
    switch memory {
    case .empty, .kept: true
    case .off, .elsewhere, .unreadable: false
    }
  }

  /// The party's remembered rules with their history; nil for none.
  var policyLog: Data? {
    switch memory {
    case .kept(_, let policyLog): policyLog
    case .off, .elsewhere, .empty, .unreadable: nil
    }
  }

  /// The user's name in the last stay; nil if there was none.
  package var name: String? {
    switch memory {
    case .kept(let name, _): name
    case .off, .elsewhere, .empty, .unreadable: nil
    }
  }

  private init(identity: ParticipantIdentity, memory: Memory, lock: SeatLock?) {
    self.identity = identity
    self.memory = memory
    self.lock = lock
  }

  /// Takes the user's seat in a party.
  ///
  /// - Parameter library: the library, if this run remembers anything. It is read only once the seat is locked, so that
  ///   no other program changes the record meanwhile.
  static func take(in party: Participant.ID, from library: MediaLibrary?) async -> PartySeat {
    guard let library, let folder = library.path else {
      return PartySeat(identity: ParticipantIdentity(), memory: .off, lock: nil)
    }
    return await take(in: party, folder: folder) { () throws(MediaLibraryError) in
      try await library.party(party.description)
    }
  }

  /// - Parameters:
  ///   - folder: the folder of the lock with which the user's programs agree on the identity's holder.
  ///   - read: reads the record of the party.
  static func take(
    in party: Participant.ID, folder: String,
    read: () async throws(MediaLibraryError) -> RememberedParty?
  ) async -> PartySeat {
    func newcomer(_ memory: Memory, _ lock: SeatLock? = nil) -> PartySeat {
      PartySeat(identity: ParticipantIdentity(), memory: memory, lock: lock)
    }
    let lock: SeatLock
    switch SeatLock.take(party, in: folder) {
    case .taken(let taken): lock = taken
    case .held: return newcomer(.elsewhere)
    case .failed(let reason): return newcomer(.unreadable(reason: reason))
    }
    do throws(MediaLibraryError) {
      guard let record = try await read() else { return newcomer(.empty, lock) }
      guard let identity = ParticipantIdentity(seed: record.identity) else {
        return newcomer(.unreadable(reason: "The kept identity is damaged"))
      }
      return PartySeat(
        identity: identity, memory: .kept(name: record.name, policyLog: record.policyLog),
        lock: lock)
    } catch {
      return newcomer(.unreadable(reason: error.reason))
    }
  }

  /// Takes the founder's seat in a new party.
  init(founding: Party.Founding, folder: String?) {
    identity = founding.identity
    switch folder.map({ SeatLock.take(founding.party, in: $0) }) {
    case .taken(let taken): (memory, lock) = (.empty, taken)
    case .held: (memory, lock) = (.elsewhere, nil)
    case .failed(let reason): (memory, lock) = (.unreadable(reason: reason), nil)
    case nil: (memory, lock) = (.off, nil)
    }
  }
}

/// The lock with which a user's programs agree which of them holds the identity in a party.
private final class SeatLock: Sendable {
  enum Outcome {
    case taken(SeatLock)
    /// Another program holds it.
    case held
    case failed(reason: String)
  }

  private let descriptor: CInt
  private let path: String

  private init(_ descriptor: CInt, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // The file is removed before it is unlocked: a program that opens the path afterwards creates a new file.
    unlink(path)
    close(descriptor)
  }

  static func take(_ party: Participant.ID, in folder: String) -> Outcome {
    removeAbandoned(in: folder)
    return take(folder + "/party-\(party).lock")
  }

  /// Removes the files of programs that ended without removing theirs. Such files aren't locked.
  private static func removeAbandoned(in folder: String) {
    // A failure only leaves unused files behind.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix("party-") && name.hasSuffix(".lock") {
      // The lock's end removes the file.
      _ = take(folder + "/" + name)
    }
  }

  /// Opens and locks a file. The kernel releases the lock when the process ends in any way.
  private static func take(_ path: String) -> Outcome {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      return .failed(reason: "Can't open \(path): \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = errno
      close(descriptor)
      return error == EWOULDBLOCK
        ? .held : .failed(reason: "Can't lock \(path): \(String(cString: strerror(error)))")
    }
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino else {
      // Another program removed the file meanwhile, and holds or held its successor.
      close(descriptor)
      return .held
    }
    return .taken(SeatLock(descriptor, path))
  }
}

import Foundation
import GroupActivities

/// A process of its own that relays for a party after the program of its host has ended, until the last participant has
/// left.
struct KeptRelay: Sendable {
  /// The reason why no relay is kept, for the user.
  enum Problem: Error, Hashable, CustomStringConvertible {
    case noRelay, endsWithHost

    var description: String {
      switch self {
      case .noRelay: "Your program isn't this party's relay. To quit, type: quit"
      case .endsWithHost: "This party ends with its host. Change that first: lifetime automatic"
      }
    }
  }

  /// The number of file descriptors of which some may be open.
  private static let descriptors = 4096

  /// The command of the program that runs it.
  static let commandName = "kept-relay"

  /// The arguments of the command. None of them is secret.
  let arguments: [String]

  init?(of hosting: PartyHosting, for party: Party, _ options: PartyHosting.Options) {
    guard let port = hosting.port else { return nil }
    let key = hosting.admissionKey.map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    arguments =
      [
        Self.commandName, "--listen", "\(hosting.listensOn):\(port)", "--admits", key,
        "--party", "\(party.invite.party)",
      ] + (options.mapsPort ? [] : ["--no-port-mapping"])
      + (options.announces ? [] : ["--no-announce"])
  }

  /// Starts the process, in a session of its own: it outlives this program and its terminal.
  ///
  /// - Returns: false if the system refuses.
  @discardableResult
  func start() -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in Int32(0)...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // A descriptor beyond the limit would be an error.
    for descriptor in Int32(3)..<Int32(min(OpenFiles.limit, Self.descriptors)) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID, which glibc defines for GNU sources only.
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession))
    let pointers = (["matinee"] + arguments).map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var id: pid_t = 0
    return posix_spawn(&id, "/proc/self/exe", &actions, &attributes, pointers, environ) == 0
  }
}

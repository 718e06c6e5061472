import Foundation

/// A child process that is started without Foundation's `Process`. That type waits for all
/// processes that inherited one of its descriptors (such as a server that the child leaves behind),
/// and passes on the signals that a dispatch thread blocks.
package struct ChildProcess: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
  }

  package let id: pid_t

  /// Runs a program to its end; blocks.
  ///
  /// - Returns: its output.
  @discardableResult
  package static func run(
    _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("output-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    let child = try start(arguments, output: output, environment: environment)
    let status = child.wait()
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    guard status == 0 else { throw Failure("\(arguments): \(text)") }
    return text
  }

  /// - Parameters:
  ///   - output: the file for its output, which replaces an earlier one.
  ///   - descriptors: the child's descriptors from 3 on; they remain the caller's too.
  package static func start(
    _ arguments: [String], output: URL,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    descriptors: [CInt] = []
  ) throws -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // Out of the way of the child's numbers.
    let passed = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 256) }
    defer { for descriptor in passed where descriptor >= 0 { close(descriptor) } }
    for (number, descriptor) in zip(Int32(3)..., passed) {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    // Other tests' open files are not inherited either.
    for descriptor in Int32(3 + passed.count)..<256 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    var environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argumentPointers + environmentPointers).forEach { free($0) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var id: pid_t = 0
    let spawned = posix_spawnp(
      &id, arguments[0], &actions, &attributes, &argumentPointers, &environmentPointers)
    guard spawned == 0 else {
      throw Failure(
        "\(arguments[0]) can't be started (errno \(spawned)): make test installs it")
    }
    return ChildProcess(id: id)
  }

  /// Blocks until it has ended, and returns its status as `waitpid(2)` gives it.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Waits until a child's output contains a text.
  ///
  /// - Returns: the output.
  package static func output(
    in file: URL, containing text: String, within limit: Duration = .seconds(60)
  ) async throws -> String {
    let deadline = ContinuousClock.now + limit
    while true {
      let output = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      if output.contains(text) { return output }
      guard ContinuousClock.now < deadline else { throw Failure("never said “\(text)”: \(output)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  package func terminate() { kill(id, SIGTERM) }
}

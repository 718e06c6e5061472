import Foundation
import ProcessTesting

/// A home with a clone of the sources, a film, and the manual installed.
struct ReadmePlace: Sendable {
  /// The folder of the films: `film.mkv` is here.
  let viewer: URL
  private let home: URL
  private let clone: URL
  private let environment: [String: String]

  init() throws {
    home = Clips.folder.appendingPathComponent("readme")
    viewer = home.appendingPathComponent("Videos")
    clone = home.appendingPathComponent("matinee")
    let sources = home.appendingPathComponent("sources")
    let tools = home.appendingPathComponent("tools")
    let files = FileManager.default
    for folder in [viewer, sources, tools] {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try files.copyItem(
      at: ReadmeText.root.appendingPathComponent("Media/Countdown.mkv"),
      to: viewer.appendingPathComponent("film.mkv"))
    // A repository of its own: the tested one may be an archive, or have changes.
    for name in ["Makefile", "Media", "Package.swift", "README.md", "Sources", "Tests"] {
      try files.copyItem(
        at: ReadmeText.root.appendingPathComponent(name),
        to: sources.appendingPathComponent(name))
    }

    let program = try MatineeProcess.executable
    try files.createSymbolicLink(
      at: tools.appendingPathComponent("matinee"), withDestinationURL: program)
    let built = program.deletingLastPathComponent().path
    try Self.write(
      """
      #!/bin/sh
      for argument; do
        if [ "$argument" = --show-bin-path ]; then echo '\(built)'; exit; fi
      done
      mkdir -p .build/release && ln -sf '\(program.path)' .build/release/matinee
      """, to: tools.appendingPathComponent("swift"))
    try Self.write(
      "#!/bin/sh\nSUDO_USER=ana DESTDIR='\(home.path)/root' exec \"$@\"\n",
      to: tools.appendingPathComponent("sudo"))

    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !["DISPLAY", "WAYLAND_DISPLAY", "TMUX", "MANPATH", "MAKEFLAGS", "COLORTERM", "LANG"].contains(
        name)
        && !name.hasPrefix("XDG_") && !name.hasPrefix("GIT_")
    }
    environment.merge(
      [
        "HOME": home.path, "LC_ALL": "C.UTF-8", "TERM": "tmux-256color", "MANWIDTH": "100",
        "PATH": "\(tools.path):\(environment["PATH"] ?? "")", "PACKAGES_PRESENT": "1",
        "MANPATH": "\(home.path)/manual/share/man",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "GIT_AUTHOR_NAME": "Ana",
        "GIT_AUTHOR_EMAIL": "ana@example.org", "GIT_COMMITTER_NAME": "Ana",
        "GIT_COMMITTER_EMAIL": "ana@example.org", "SWIFT_BACKTRACE": "enable=no",
        // The commands use only this machine's loopback, and play no sound.
        "MATINEE_MPV": "ao=null", "MATINEE_LISTEN": "127.0.0.1:0", "MATINEE_PORT_MAPPING": "no",
        "MATINEE_ANNOUNCE": "no", "MATINEE_NOW_PLAYING": "no",
      ]
    ) { $1 }
    self.environment = environment
    try run("git init -q && git add -A && git commit -qm sources", from: sources)
    try run("git clone \(sources.path) matinee", from: home)
    try run("make build && make install-files PREFIX=\(home.path)/manual")
  }

  /// Runs a command to its end.
  ///
  /// - Returns: its output.
  @discardableResult
  func run(_ command: String) throws -> String { try run(command, from: folder(of: command)) }

  @discardableResult
  private func run(_ command: String, from folder: URL) throws -> String {
    try ChildProcess.run(
      ["bash", "-c", "cd '\(folder.path)' && \(command)"], environment: environment)
  }

  func exitCode(_ command: String) throws -> Int32 {
    let folder =
      command.hasPrefix("git clone ") ? home.appendingPathComponent("again") : folder(of: command)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let line = command.replacing(" URL ", with: " \(home.path)/sources ")
    let child = try ChildProcess.start(
      ["bash", "-c", "cd '\(folder.path)' && \(line)"],
      output: home.appendingPathComponent("output"), environment: environment)
    let status = child.wait()
    return status & 0x7f == 0 ? status >> 8 : -1
  }

  /// Runs a command in a terminal, until `body` returns.
  func terminal(
    _ command: String, display: String? = nil, _ body: (Screen) async throws -> Void
  ) async throws {
    let name = UUID().uuidString
    let screen = Screen(socket: home.appendingPathComponent(String(name.prefix(8))).path)
    let script = home.appendingPathComponent("script-\(name)")
    var lines = ["#!/bin/bash"]
    lines += environment.sorted { $0.key < $1.key }.map { name, value in
      "export \(name)='\(value.replacing("'", with: "'\\''"))'"
    }
    lines += display.map { ["export DISPLAY='\($0)'"] } ?? ["unset DISPLAY"]
    lines += [
      "unset TMUX WAYLAND_DISPLAY", "cd '\(folder(of: command).path)'", command,
      "echo ended with $?", "exec sleep 60",
    ]
    try Self.write(lines.joined(separator: "\n") + "\n", to: script)
    try screen.command([
      "-f", "/dev/null", "-u", "new-session", "-d", "-x", "160", "-y", "50", script.path,
    ])
    defer { screen.end() }
    try await body(screen)
  }

  /// Returns the folder of a command: `make` runs in the clone, and films play from their folder.
  private func folder(of command: String) -> URL {
    command.hasPrefix("make ") ? clone : viewer
  }

  private static func write(_ script: String, to file: URL) throws {
    try Data(script.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
  }
}

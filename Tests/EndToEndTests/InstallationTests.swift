import Foundation
import ProcessTesting
import Testing

@testable import MatineeCommands

/// The files that `make install` installs, in a folder of the test's own, checked with the programs
/// that read them.
@Suite("The installation")
struct InstallationTests {
  private let destination = Clips.folder.appendingPathComponent("installed-\(UUID().uuidString)")
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

  private func make(_ target: String) throws {
    // A separate folder from the build that runs these tests, with the same program.
    try ChildProcess.run([
      "make", "--no-print-directory", "-C", root.path, target, "DESTDIR=\(destination.path)",
      "PREFIX=/usr", "built=\(try MatineeProcess.executable.path)",
    ])
  }

  private func contents() throws -> [String: Data] {
    let files = FileManager.default.enumerator(atPath: destination.path)
    var contents: [String: Data] = [:]
    while let path = files?.nextObject() as? String {
      var isFolder: ObjCBool = false
      let full = destination.appendingPathComponent(path).path
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      contents[path] = FileManager.default.contents(atPath: full)
    }
    return contents
  }

  @Test(
    "A second installation changes nothing, all readers accept the files, and uninstalling removes all of them"
  )
  func installed() throws {
    try make("install-files")
    let first = try contents()
    try make("install-files")
    #expect(try contents() == first)

    let share = destination.path + "/usr/share"
    try ChildProcess.run(["bash", "-n", "\(share)/bash-completion/completions/matinee"])
    try ChildProcess.run(["zsh", "-n", "\(share)/zsh/site-functions/_matinee"])
    try ChildProcess.run(["fish", "-n", "\(share)/fish/vendor_completions.d/matinee.fish"])
    try ChildProcess.run(["desktop-file-validate", "\(share)/applications/matinee.desktop"])
    try ChildProcess.run([
      "appstreamcli", "validate", "--no-net",
      "\(share)/metainfo/org.matinee_player.matinee.metainfo.xml",
    ])
    let pages = try ManualPage.all().map { "man\($0.fileName.suffix(1))/\($0.fileName)" }
    #expect(pages.count == 5)
    for page in pages {
      let complaints = try ChildProcess.run([
        "sh", "-c", "LC_ALL=C.UTF-8 man --warnings -l \"$1\" 2>&1 >/dev/null", "sh",
        "\(share)/man/\(page)",
      ])
      #expect(complaints == "", "\(page)")
    }
    for name in first.keys.sorted() where !name.hasSuffix("bin/matinee") {
      #expect(first[name]?.isEmpty == false, "\(name)")
    }

    try make("uninstall")
    #expect(try contents().isEmpty)
  }

  @Test("Characters with a meaning in roff, or at a line's start, are escaped in a page")
  func escaping() throws {
    let folder = try Clips.newFolder("page")
    let page = folder.appendingPathComponent("x.5.md")
    try Data(
      """
      # x(5) - an example

      ## Code

      .dot and `--a\\b` _FILE_
      'it' "^

      `a`
      : b
        c

      | | |
      |-|-|
      | `d` | text |
      ### Part
      ```
      .x -y

      'z
      ```

      """.utf8
    ).write(to: page)
    let made = try ChildProcess.run(
      ["awk", "-f", ManualPage.folder.appendingPathComponent("page.awk").path, page.path],
      environment: ProcessInfo.processInfo.environment
        .merging(["MATINEE": try MatineeProcess.executable.path]) { $1 })
    #expect(
      made == """
        .TH "X" 5 "" "Matinee \(Matinee.configuration.version)" "Matinee"
        .SH NAME
        x \\- an example
        .SH CODE
        .PP
        \\&.dot and \\fB\\-\\-a\\eb\\fR \\fIFILE\\fR \\(aqit\\(aq \\(dq\\(ha
        .TP
        \\fBa\\fR
        b c
        .TP 24
        \\fBd\\fR
        text
        .SS Part
        .PP
        .RS 4
        .nf
        \\&.x \\-y

        \\(aqz
        .fi
        .RE

        """)
  }

  @Test("The links of the installed README lead to installed files")
  func links() throws {
    try make("install-files")
    let folder = destination.appendingPathComponent("usr/share/doc/matinee")
    let readme = try String(
      contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    let links = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
      .filter { !$0.contains("://") }
    #expect(links.count > 5 && links.contains("Screenshot.png"))
    for link in links {
      let path = folder.appendingPathComponent(link).path
      #expect(FileManager.default.isReadableFile(atPath: path), "\(link)")
    }
  }

  @Test("systemd understands the relay's unit")
  func unit() throws {
    let folder = try Clips.newFolder("unit")
    let text = try String(
      contentsOf: root.appendingPathComponent(
        "Sources/matinee/Installation/matinee-relay.service"), encoding: .utf8)
    let unit = folder.appendingPathComponent("matinee-relay.service")
    let program = try MatineeProcess.executable.deletingLastPathComponent().path
    try Data(text.replacing("@BINDIR@", with: program).utf8).write(to: unit)
    // It asks for the path of a user's session, but not for a session.
    let said = try ChildProcess.run(
      ["systemd-analyze", "verify", "--user", "--man=no", unit.path],
      environment: ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": folder.path]) {
        $1
      })
    #expect(!said.contains("matinee-relay"), "\(said)")
  }

  @Test("A click on an invite opens a terminal with its party", .timeLimit(.minutes(2)))
  func click() async throws {
    try make("install-files")
    let share = destination.path + "/usr/share"
    try ChildProcess.run(["update-desktop-database", "\(share)/applications"])
    // This is the only terminal among those that a desktop would look for.
    let tools = destination.appendingPathComponent("tools")
    let settings = destination.appendingPathComponent("config/matinee")
    for folder in [tools, settings] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    for tool in ["xterm", "sh", "env"] {
      let path = try ChildProcess.run(["sh", "-c", "command -v \(tool)"]).split(separator: "\n")[0]
      try FileManager.default.createSymbolicLink(
        atPath: tools.appendingPathComponent(tool).path, withDestinationPath: String(path))
    }
    try Data("name = Ben\nvideo = none\nno-config\nmpv = ao=null\n".utf8)
      .write(to: settings.appendingPathComponent("matinee.conf"))

    let host = try MatineeProcess([
      "host", "--name", "Ana", "--listen", "127.0.0.1:0", "--no-port-mapping", "--no-announce",
    ])
    let invite = try #require(try await host.next("hosting").string("invite"))
    // The terminal ends with the display, and its program with the terminal.
    let display = try VirtualDisplay()
    try ChildProcess.run(
      ["gio", "open", invite],
      environment: [
        "DISPLAY": display.name, "HOME": destination.path, "LC_ALL": "C.UTF-8",
        "PATH": "\(destination.path)/usr/bin:\(tools.path)", "XDG_DATA_DIRS": share,
        "XDG_CONFIG_HOME": destination.path + "/config",
        "XDG_STATE_HOME": destination.path + "/state",
      ])
    let guest = try await host.next("participant-joined")
    #expect(guest.string("name") == "Ben")
    #expect(try await host.quit() == 0)
    withExtendedLifetime(display) {}
  }

  private static let typing = [
    ("matinee --vid", "--video"), ("matinee host --video te", "terminal"),
    ("matinee relay --moni", "--monitor"), ("matinee --video no", "none"),
    ("matinee doc", "doctor"), ("matinee film.mkv --no-conf", "--no-config"),
    ("matinee \(ManualPage.folder.path)/pa", "\(ManualPage.folder.path)/page.awk"),
    ("matinee host \(ManualPage.folder.path)/pa", "\(ManualPage.folder.path)/page.awk"),
  ]

  @Test("bash completes commands, options and films, also without a command", arguments: typing)
  func bash(typed: String, completed: String) throws {
    let script = Clips.folder.appendingPathComponent("completion-\(UUID().uuidString)")
    try Data(CompletionScript.bash.utf8).write(to: script)
    // The query that readline makes.
    let answer = try ChildProcess.run([
      "bash", "--norc", "-c",
      """
      source "$1"
      COMP_LINE=$2 COMP_POINT=${#2}
      read -ra COMP_WORDS <<<"$2"
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMPREPLY=()
      _matinee_or_watch matinee "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """, "bash", script.path, typed,
    ])
    #expect(answer.split(separator: "\n").map(String.init) == [completed])
  }

  @Test("fish completes commands, options and films", arguments: typing)
  func fish(typed: String, completed: String) throws {
    let script = Clips.folder.appendingPathComponent("completion-\(UUID().uuidString).fish")
    try Data(CompletionScript.fish.utf8).write(to: script)
    let answer = try ChildProcess.run(
      [
        "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script.path, typed,
      ],
      environment: ProcessInfo.processInfo.environment.merging(["HOME": Clips.folder.path]) { $1 })
    let first = answer.split(whereSeparator: "\t\n".contains).first
    #expect(first.map(String.init) == completed, "\(answer)")
  }

  @Test("zsh completes commands, options and films", arguments: typing)
  func zsh(typed: String, completed: String) throws {
    let folder = try Clips.newFolder("completion")
    try Data(CompletionScript.zsh.utf8).write(to: folder.appendingPathComponent("_matinee"))
    // A zsh in a terminal of its own; the test reads until the expected text appears.
    let answer = try ChildProcess.run([
      "timeout", "20", "zsh", "-f", "-c",
      """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -D -u; echo re''ady"
      zpty -r shell line '*ready*'
      zpty -w -n shell "$2"$'\\t'
      zpty -r shell line "*$3*"
      print -r -- "$line"
      """, "zsh", folder.path, typed, completed,
    ])
    #expect(answer.contains(completed), "\(answer)")
  }
}

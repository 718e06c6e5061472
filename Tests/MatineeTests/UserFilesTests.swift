import Foundation
import ProcessTesting
import TerminalUI
import Testing

@testable import MatineeCommands

@Suite("The user's files")
struct UserFilesTests {
  private func with(
    _ files: [String: String], _ body: (String) throws -> Void
  ) throws {
    let folder = try URL.newFolder("matinee")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    try body(folder.path)
  }

  @Test("The folder is the one of the XDG specification")
  func folder() {
    #expect(
      ConfigurationFolder.path(environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/matinee"
    )
    #expect(
      ConfigurationFolder.path(environment: ["XDG_CONFIG_HOME": "c", "HOME": "/h"])
        == "/h/.config/matinee")
    #expect(ConfigurationFolder.path(environment: [:]) == nil)
  }

  @Test("Keys and colours are read from it, and a missing file is no problem")
  func files() throws {
    try with(["keys.conf": "x seek 5", "theme.conf": "accent = red"]) { (folder: String) throws in
      let files = UserFiles(folder: folder)
      #expect(files.warnings.isEmpty)
      #expect(files.keyBindings == KeyBindings(parsing: "x seek 5"))
      #expect(files.theme == Theme(parsing: "accent = red"))
    }
    try with([:]) { (folder: String) throws in
      let files = UserFiles(folder: folder)
      #expect(files.warnings.isEmpty && files.theme == .standard)
      #expect(files.keyBindings == KeyBindings())
    }
    #expect(UserFiles(folder: nil).warnings.isEmpty)
  }

  @Test("Empty files are no problem")
  func empty() throws {
    try with(["keys.conf": "", "theme.conf": "", "matinee.conf": ""]) { (folder: String) throws in
      #expect(UserFiles(folder: folder).warnings.isEmpty)
      #expect(Settings.Source(folder: folder)?.failure == nil)
    }
  }

  @Test("A file that can't be read is reported")
  func unreadable() throws {
    try with([:]) { (folder: String) throws in
      for name in ["keys.conf", "theme.conf"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
      }
      #expect(
        UserFiles(folder: folder).warnings == [
          "\(folder)/keys.conf isn't read, because it isn't a file but a folder, pipe or device.",
          "\(folder)/theme.conf isn't read, because it isn't a file but a folder, pipe or device.",
        ])
    }
  }

  @Test(
    "A pipe, a device or a file of more than 1 MiB or 10,000 lines isn't read, and the start doesn't wait for it",
    .timeLimit(.minutes(1)), arguments: ["keys.conf", "theme.conf", "matinee.conf"])
  func special(name: String) throws {
    func warnings(_ folder: String) -> [String] {
      name == "matinee.conf"
        ? [Settings.Source(folder: folder)?.failure].compactMap { $0 }
        : UserFiles(folder: folder).warnings
    }
    try with([:]) { (folder: String) throws in
      let path = "\(folder)/\(name)"
      try #require(mkfifo(path, 0o600) == 0)
      let text = "\(path) isn't read, because it isn't a file but a folder, pipe or device."
      #expect(warnings(folder) == [text])
      unlink(path)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/dev/zero")
      #expect(warnings(folder) == [text])
      unlink(path)
      let line = "#" + String(repeating: "-", count: 1022) + "\n"
      let full = String(repeating: line, count: 1024)
      let lines = String(repeating: "\n", count: 10_000)
      for (text, isRead) in [
        (full, true), (lines, true), (full + "\n", false), (lines + "\n", false),
      ] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let warning = "\(path) isn't read, because it has more than 1 MiB or 10,000 lines."
        #expect(warnings(folder) == (isRead ? [] : [warning]))
      }
    }
  }

  @Test("A theme is a name or a file, and an invalid one is reported")
  func themes() throws {
    try with(["theme.conf": "accent = red", "mine": "accent = blue"]) { (folder: String) throws in
      #expect(UserFiles(folder: folder, themeName: "high-contrast").theme == .highContrast)
      #expect(
        UserFiles(folder: folder, themeName: folder + "/mine").theme
          == Theme(parsing: "accent = blue"))
      let error = #expect(throws: (any Error).self) {
        try Matinee.parseAsRoot(["--theme", "hi-contrast", "film.mkv"])
      }
      #expect(
        try Matinee.message(for: #require(error))
          == "--theme: there is no file hi-contrast; themes: standard, high-contrast.")
      _ = try Matinee.parseAsRoot(["--theme", folder + "/mine", "film.mkv"])
    }
  }

  @Test("A mistake costs its line only, and each is reported with its file and line")
  func mistakes() throws {
    let files = [
      "keys.conf": "x sek 5\ny seek 5\nMUTE cycle mute",
      "theme.conf": "accent = red\nquiet = rouge",
    ]
    try with(files) { (folder: String) throws in
      let files = UserFiles(folder: folder)
      let keys = files.keyBindings
      #expect(keys != KeyBindings(), "y holds")
      #expect(files.theme != .standard, "accent holds")
      #expect(
        files.warnings == [
          "keys.conf, line 1: there is no command “sek 5”; did you mean “seek 5”?",
          "keys.conf, line 3: terminals don't report the key “MUTE”",
          "theme.conf, line 2: “rouge” isn't a colour; examples: default, red, bright-red, 0 to 255, #rrggbb",
        ])
    }
  }
}

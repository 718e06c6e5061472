import Foundation
import ProcessTesting
import Testing

@testable import Faces

@Suite("The clipboard")
struct ClipboardTests {
  @Test("The desktop's program is used if the desktop is on this machine")
  func programs() {
    func names(_ environment: [String: String]) -> [String] {
      Clipboard.programs(environment: environment).map { $0[0] }
    }
    #expect(names([:]) == [])
    #expect(
      names(["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"]) == ["wl-copy", "xclip", "xsel"])
    #expect(names(["DISPLAY": ":0"]) == ["xclip", "xsel"])
    #expect(names(["DISPLAY": "localhost:10", "SSH_CONNECTION": "a 1 b 22"]) == [])
    #expect(names(["WAYLAND_DISPLAY": "wayland-0", "SSH_TTY": "/dev/pts/1"]) == [])
  }

  /// Runs `body` with a program of this name in the user's path.
  private func withProgram(
    _ name: String, _ script: String, _ body: ([String: String], URL) async throws -> Void
  ) async throws {
    let folder = try URL.newFolder("clipboard")
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appendingPathComponent(name)
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    try await body(
      ["PATH": "\(folder.path):/usr/bin:/bin", "DISPLAY": ":0", "OUT": folder.path], folder)
  }

  @Test("The text goes to the program's standard input, never into its arguments")
  func standardInput() async throws {
    try await withProgram("xclip", "echo \"$@\" > $OUT/arguments; cat > $OUT/text") {
      (environment: [String: String], folder: URL) async throws in
      #expect(await Clipboard.copy("matinee://secret#1", environment: environment) == .copied)
      let text = try String(contentsOf: folder.appendingPathComponent("text"), encoding: .utf8)
      #expect(text == "matinee://secret#1")
      let arguments = try String(
        contentsOf: folder.appendingPathComponent("arguments"), encoding: .utf8)
      #expect(arguments == "-selection clipboard\n")
    }
  }

  @Test("The copy doesn't wait for a program that leaves a process of its own behind")
  func background() async throws {
    try await withProgram("xclip", "cat > $OUT/text; sleep 60 & echo $! > $OUT/id") {
      (environment: [String: String], folder: URL) async throws in
      #expect(await Clipboard.copy("x", environment: environment) == .copied)
      let id = try String(contentsOf: folder.appendingPathComponent("id"), encoding: .utf8)
      if let id = Int32(id.dropLast()) { kill(id, SIGKILL) }
    }
  }

  @Test("If the program fails or is missing, only the terminal is asked to copy")
  func unknown() async throws {
    try await withProgram("xclip", "exit 1") {
      (environment: [String: String], folder: URL) async throws in
      // The path contains only the failing program.
      let environment = environment.merging(["PATH": folder.path]) { $1 }
      #expect(await Clipboard.copy("x", environment: environment) == .sent)
    }
    #expect(await Clipboard.copy("x", environment: ["DISPLAY": ":0", "PATH": "/nowhere"]) == .sent)
    #expect(await Clipboard.copy("x", environment: [:]) == .sent)
  }
}

import Foundation
import ProcessTesting
import Testing

@Suite("Standard error")
struct StandardErrorTests {
  /// Runs the program with `quit` as its input, and returns its standard error.
  private func errors(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = try BuiltProgram.url("matinee")
    process.arguments = arguments
    let (input, errors) = (Pipe(), Pipe())
    (process.standardInput, process.standardError) = (input, errors)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try? input.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  @Test("The sound libraries print nothing, also on a machine without a sound card")
  func sound() throws {
    let film = try Clips.film.get()
    #expect(
      try errors("--headless", "--private", "--no-config", "--video", "none", film) == "")
  }

  @Test("A problem with the arguments is one line that leads to the help")
  func arguments() throws {
    #expect(
      try errors("--nonsense") == "matinee: Unknown option '--nonsense'. Try matinee --help.\n")
    #expect(
      try errors("--nome")
        == "matinee: Unknown option '--nome'. Did you mean '--name'? Try matinee --help.\n")
    #expect(
      try errors("-") == "matinee: Matinee can't play from a pipe. Give it a file or a URL.\n")
  }
}

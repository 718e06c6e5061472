import Foundation
import Testing

@Suite("Settings, from end to end")
struct SettingsEndToEndTests {
  /// - Returns: the folder for `XDG_CONFIG_HOME`.
  private func configuration(_ text: String) throws -> String {
    let home = Clips.folder.appendingPathComponent("config-\(UUID().uuidString)")
    let folder = home.appendingPathComponent("matinee")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appendingPathComponent("matinee.conf"))
    return home.path
  }

  private func name(_ arguments: [String], _ environment: [String: String]) async throws -> String?
  {
    let matinee = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--no-port-mapping", "--no-announce"] + arguments,
      environment: environment)
    let name = try await matinee.next("joined").string("name")
    #expect(try await matinee.quit() == 0)
    return name
  }

  @Test("The file, then the environment, then the command line: the later wins")
  func precedence() async throws {
    let folder = ["XDG_CONFIG_HOME": try configuration("name = Fay\n")]
    let environment = folder.merging(["MATINEE_NAME": "Eve"]) { $1 }
    #expect(try await name([], folder) == "Fay")
    #expect(try await name([], environment) == "Eve")
    #expect(try await name(["--name", "Cli"], environment) == "Cli")
  }

  @Test("Faults in the files of settings, keys and colours are reported, and the program starts")
  func warnings() async throws {
    let folder = try configuration("nmae = Fay\nvideo = televison\nmpv = volume=42\n")
    let files = URL(fileURLWithPath: folder).appendingPathComponent("matinee")
    try Data("s screenshot\nx plai\n".utf8).write(to: files.appendingPathComponent("keys.conf"))
    try Data("accent = rouge\n".utf8).write(to: files.appendingPathComponent("theme.conf"))
    let matinee = try MatineeProcess([], environment: ["XDG_CONFIG_HOME": folder])
    for beginning in [
      "matinee.conf, line 1: unknown setting “nmae”; did you mean “name”?",
      "matinee.conf, line 2: “video” is ignored: ",
      "keys.conf, line 2: there is no command “plai”", "theme.conf, line 1: “rouge”",
    ] {
      _ = try await matinee.next("warning") {
        $0.string("message")?.hasPrefix(beginning) == true
      }
    }
    #expect(try await matinee.quit() == 0)
  }

  @Test("A relay has settings of its own")
  func relay() throws {
    let folder = try configuration("listen = 127.0.0.1:1\n[relay]\nlisten = 127.0.0.1:0\n")
    let process = Process()
    let output = Pipe()
    process.executableURL = try MatineeProcess.executable
    process.arguments = ["relay"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_CONFIG_HOME": folder]) { $1 }
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    process.terminate()
    process.waitUntilExit()
    #expect(line.hasPrefix("relay: listening on 127.0.0.1:"), "\(line)")
    #expect(!line.contains("listening on 127.0.0.1:1\n"), "\(line)")
  }
}

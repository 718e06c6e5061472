import Foundation
import ProcessTesting
import Testing

@Suite("Mistakes and requests for help on the command line")
struct UsageTests {
  @Test(
    "Each is answered with a sentence that helps, and with the usual exit status",
    arguments: [
      ("--version", 0, "0.1.0\n"), ("--help", 0, "Matinee 0.1.0: watch films together"),
      ("film.mkv -h", 0, "Matinee 0.1.0: watch films together"),
      ("help", 0, "Matinee 0.1.0: watch films together"),
      ("--help host", 0, "USAGE: matinee host [<options>]"),
      ("help relay", 0, "USAGE: matinee relay ["),
      ("--vidoe none", 64, "Unknown option '--vidoe'. Did you mean '--video'?"),
      ("--name Ana host --vidoe none", 64, "See 'matinee host --help' for more information."),
      ("host --video bad", 64, "Please provide one of 'auto', 'window', 'terminal' or 'none'."),
      ("jion", 64, "There is no file “jion”. Did you mean `matinee join`?"),
      ("-dash.mkv", 64, "“-dash.mkv” begins like an option."),
      ("--listen *:0 join", 64, "“matinee join” has no option --listen; "),
    ])
  func answers(line: String, status: Int32, answer: String) throws {
    let folder = Clips.folder.appendingPathComponent("usage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("matinee"), withIntermediateDirectories: true)
    let output = folder.appendingPathComponent("output")
    // The same with settings as without.
    for settings in [nil, "name = Ana\nvideo = none\n"] {
      try settings.map {
        try Data($0.utf8).write(to: folder.appendingPathComponent("matinee/matinee.conf"))
      }
      let child = try ChildProcess.start(
        [try MatineeProcess.executable.path] + line.split(separator: " ").map(String.init),
        output: output,
        environment: ProcessInfo.processInfo.environment
          .merging(["XDG_CONFIG_HOME": folder.path]) { $1 })
      #expect(child.wait() >> 8 == status)
      let text = try String(contentsOf: output, encoding: .utf8)
      #expect(text.contains(answer), "\(text)")
    }
  }
}

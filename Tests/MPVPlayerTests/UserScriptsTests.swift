import Foundation
import ProcessTesting
import Testing

@testable import MPVPlayer

@Suite("The user's scripts")
struct UserScriptsTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = try URL.newFolder("scripts")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test("Debian's MPRIS plugin is left out, and all other scripts stay, in mpv's order")
  func mpris() throws {
    try withFolder { (folder: String) throws in
      for script in [
        "own/mpv/scripts/b.lua", "own/mpv/scripts/a/main.lua", "etc/scripts/mpris.so",
        "etc/scripts/c.js", "own/mpv/scripts/.hidden.lua",
      ] {
        try write("", to: folder + "/" + script)
      }
      let scripts = UserScripts(
        environment: ["XDG_CONFIG_HOME": folder + "/own", "HOME": folder], global: folder + "/etc")
      #expect(scripts.hasMPRIS)
      #expect(
        scripts.paths == [
          folder + "/own/mpv/scripts/a", folder + "/own/mpv/scripts/b.lua",
          folder + "/etc/scripts/c.js",
        ])
    }
  }

  @Test("Scripts that mpv.conf turns off stay off")
  func off() throws {
    try withFolder { (folder: String) throws in
      let environment = ["MPV_HOME": folder]
      #expect(!UserScripts.areOff(environment: environment, global: folder))
      try write("volume=5\nload-scripts = no # none\n", to: folder + "/mpv.conf")
      #expect(UserScripts.areOff(environment: environment, global: folder))
      try write("[silent]\nload-scripts=no\n", to: folder + "/mpv.conf")
      #expect(!UserScripts.areOff(environment: environment, global: folder))
    }
  }
}

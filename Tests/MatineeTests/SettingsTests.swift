import Foundation
import Testing

@testable import MatineeCommands

@Suite("The settings")
struct SettingsTests {
  private static let all = {
    do {
      return try CommandDescription.ofProgram().settings
    } catch {
      preconditionFailure("the program's own description can't be read: \(error)")
    }
  }()

  private func settings(
    _ text: String? = nil, _ environment: [String: String] = [:], isReadableByOthers: Bool = false
  ) -> Settings {
    let file = text.map {
      Settings.Source(
        file: SettingsFile(parsing: $0), path: "/c/matinee.conf",
        isReadableByOthers: isReadableByOthers)
    }
    return Settings(of: Self.all, sources: Settings.Sources(file: file, environment: environment))
  }

  private func arguments(_ settings: Settings) -> [String] {
    settings.values.map(\.argument)
  }

  @Test("A file is parsed like mpv.conf: names, values, comments, quotation marks, switches")
  func file() {
    let file = SettingsFile(
      parsing: """
        \u{FEFF}# a remark
        name=Ana
          video = terminal   # where it goes
        theme = ~/my#theme.conf
        preroll = "a # b.mkv"   # quoted
        private
        no-announce

        [relay]
        listen = *:0
        """)
    #expect(file.problems.isEmpty)
    #expect(
      file.entries == [
        .init(section: nil, name: "name", value: "Ana", line: 2),
        .init(section: nil, name: "video", value: "terminal", line: 3),
        .init(section: nil, name: "theme", value: "~/my#theme.conf", line: 4),
        .init(section: nil, name: "preroll", value: "a # b.mkv", line: 5),
        .init(section: nil, name: "private", value: "yes", line: 6),
        .init(section: nil, name: "announce", value: "no", line: 7),
        .init(section: "relay", name: "listen", value: "*:0", line: 10),
      ])
  }

  @Test("A faulty line is reported with its number, and the other lines apply")
  func badLines() {
    let settings = settings(
      "name Ana\nvideo = none\npreroll = \"open\n[relay\n[realy]\nlisten = *:1\nname = x")
    #expect(
      settings.warnings == [
        "matinee.conf, line 1: expected NAME = VALUE, as in name = Ana",
        "matinee.conf, line 3: missing closing quotation mark \"",
        "matinee.conf, line 4: missing ] after the section's name, as in [relay]",
        "matinee.conf, line 6: unknown section “[realy]”; did you mean “relay”?",
      ])
    #expect(arguments(settings) == ["--video=none"])
  }

  @Test("An unknown name is reported with the nearest one, and never with its value")
  func unknownNames() {
    let settings = settings(
      "nam = Ana\nmax-connections = 5\ninvite = matinee://h:1/p#secret\ninvite-file = x\nxyzzy = pass",
      ["MATINEE_VIDEOS": "none", "MATINEE_NO_ANNOUNCE": "1", "MATINEE": "x", "HOME": "/h"])
    #expect(
      settings.warnings == [
        "matinee.conf, line 1: unknown setting “nam”; did you mean “name”?",
        "matinee.conf, line 2: “max-connections” is a setting of “matinee relay”; put it below [relay]",
        "matinee.conf, line 3: invites aren't read from here, because anyone who reads one can join; use matinee join or matinee join --invite-file PATH",
        "matinee.conf, line 4: “invite-file” works on the command line only",
        "matinee.conf, line 5: unknown setting “xyzzy”",
        "environment: unknown setting “MATINEE_NO_ANNOUNCE”; did you mean “MATINEE_ANNOUNCE”?",
        "environment: unknown setting “MATINEE_VIDEOS”; did you mean “MATINEE_VIDEO”?",
      ])
    #expect(settings.values.isEmpty)
  }

  @Test("The environment comes before the file; mpv's options add up")
  func precedence() {
    let settings = settings(
      "name = Ana\nname = Ben\nvideo = none\nmpv = hwdec=auto\nmpv = volume=10\npreroll = a\n[relay]\nlisten = *:1",
      [
        "MATINEE_NAME": "Chi", "MATINEE_MPV": "volume=20\nvf=lavfi=[a,b]",
        "MATINEE_PREROLL": "b\nc",
        "MATINEE_RELAY_LISTEN": "*:2", "MATINEE_THEME": "",
      ])
    #expect(settings.warnings.isEmpty)
    #expect(
      arguments(settings) == [
        "--name=Chi", "--preroll=b", "--preroll=c", "--video=none", "--mpv=hwdec=auto",
        "--mpv=volume=10", "--mpv=volume=20", "--mpv=vf=lavfi=[a,b]", "--listen=*:2",
      ])
    #expect(settings.values[0].origin == "MATINEE_NAME")
    #expect(settings.values[3].origin == "matinee.conf, line 3")
  }

  @Test(
    "A switch accepts many words for yes and no",
    arguments: [
      ("yes", "--private"), ("1", "--private"), ("On", "--private"), ("no", "--no-private"),
      ("FALSE", "--no-private"),
    ])
  func switches(text: String, argument: String) {
    #expect(arguments(settings("private = \(text)")) == [argument])
    let bad = settings("private = perhaps")
    #expect(bad.values.isEmpty)
    #expect(
      bad.warnings == ["matinee.conf, line 1: “private” must be yes or no; ignored"])
  }

  @Test("Every switch among the settings has an opposite for the value no")
  func opposites() {
    for setting in Self.all where setting.isFlag {
      #expect(setting.option.hasOpposite == true, "\(setting.name)")
    }
  }

  @Test("A tilde is the home folder, as in a shell")
  func home() {
    let settings = settings("theme = ~/mine.conf", ["HOME": "/h"])
    #expect(arguments(settings) == ["--theme=/h/mine.conf"])
  }

  @Test("A password is taken only from a file that no other user can read")
  func secrets() {
    let text = "relay = nats://me:secret@host:4222"
    #expect(arguments(settings(text)) == ["--relay=nats://me:secret@host:4222"])
    let open = settings(text, isReadableByOthers: true)
    #expect(open.values.isEmpty)
    #expect(
      open.warnings == [
        "matinee.conf, line 1: “relay” is ignored, because it contains a password and other users can read the file. Fix: chmod 600 /c/matinee.conf"
      ])
    #expect(
      arguments(settings("relay = nats://host:4222", isReadableByOthers: true))
        == ["--relay=nats://host:4222"])
  }

  @Test("Each setting has a variable of its own")
  func variables() {
    func setting(_ name: String) -> SettingDescription? {
      Self.all.first { $0.name == name && $0.section == nil }
    }
    let variables = Self.all.map(\.variable)
    #expect(Set(variables).count == variables.count)
    #expect(variables.contains("MATINEE_RELAY_CA"))
    #expect(variables.contains("MATINEE_RELAY_MAX_CONNECTIONS"))
    #expect(setting("mpv")?.option.isRepeating == true)
    #expect(setting("config")?.isFlag == true)
    #expect(setting("no-config") == nil)
    #expect(setting("listen")?.commands == ["watch", "host"])
  }
}

@Suite("The arguments at the start of the program")
struct StartArgumentsTests {
  private func start(_ given: [String], _ text: String) throws -> StartArguments {
    let file = Settings.Source(
      file: SettingsFile(parsing: text), path: "/c/matinee.conf", isReadableByOthers: false)
    return try StartArguments(
      OrderedArguments(given, of: Matinee.self), of: Matinee.self,
      Settings.Sources(file: file, environment: [:]))
  }

  @Test("Settings come first, so that typed arguments win; each command has its own")
  func order() throws {
    let text = "name = Ana\nlisten = *:1\n[relay]\nlisten = *:2"
    #expect(
      try start(["host", "--name", "Ben", "f.mkv"], text).arguments
        == ["--name=Ana", "--listen=*:1", "--name", "Ben", "f.mkv"])
    #expect(
      try start(["f.mkv"], text).arguments == ["--name=Ana", "--listen=*:1", "f.mkv"])
    #expect(try start(["join", "-"], text).arguments == ["--name=Ana", "-"])
    #expect(try start(["relay"], text).arguments == ["--listen=*:2"])
    #expect(try start(["doctor"], text).arguments == [])
    // The address of `--pair` is another one than that of a party.
    let film = "name = Ana\nlisten = *:1\nmpv = audio-device=pulse/tv"
    #expect(
      try start(["calibrate"], film).arguments == ["--mpv=audio-device=pulse/tv"])
    let host = try start(["host", "--name", "Ben"], text)
    #expect((host.command as? MatineeCommands.Host)?.options.general.name == "Ben")
    #expect(host.origins["listen"] == "matinee.conf, line 2")
  }

  @Test(
    "Help, the version and mistakes concern only the typed arguments",
    arguments: [
      ["--help"], ["--version"], ["help", "watch"], ["watch", "--help"], ["--nonsense"],
      ["--generate-completion-script", "bash"],
    ])
  func untouched(given: [String]) throws {
    let start = try start(given, "name = Ana\nvideo = none")
    #expect(start.command == nil)
    #expect(start.warnings.isEmpty)
    let typed = try OrderedArguments(given, of: Matinee.self)
    #expect(start.arguments == typed.arguments)
    #expect(typed.line == given)
  }

  @Test("A bad value is reported with the allowed ones, and the other settings apply")
  func badValues() throws {
    let start = try start(
      ["host"],
      "video = televison\nname = Ana\nrelay = nats://a,nats://me:secret@a:b:c\ncolors = 256")
    #expect(start.arguments == ["--name=Ana", "--colors=256"])
    #expect(start.warnings.count == 2)
    #expect(start.warnings[0].hasPrefix("matinee.conf, line 1: “video” is ignored: "))
    #expect(start.warnings[0].contains("'auto', 'window', 'terminal' or 'none'"))
    #expect(start.warnings[1].hasPrefix("matinee.conf, line 3: “relay” is ignored: "))
    #expect(!start.warnings[1].contains("secret"), "\(start.warnings[1])")
  }

  @Test("An unreadable file is reported, and so is a folder in its place")
  func unreadable() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(Settings.Source(folder: folder.path) == nil)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("matinee.conf"), withIntermediateDirectories: true)
    let source = try #require(Settings.Source(folder: folder.path))
    #expect(source.failure?.hasPrefix("\(folder.path)/matinee.conf isn't read") == true)
  }

  @Test("If two settings exclude each other, the typed one wins silently")
  func exclusion() throws {
    let start = try start(["--headless", "f.mkv"], "screen-reader\nname = Ana")
    #expect(start.arguments == ["--name=Ana", "--headless", "f.mkv"])
    #expect(start.warnings.isEmpty)
    #expect(
      try self.start(["--preroll", "b"], "preroll = a").arguments == ["--preroll", "b"])
  }
}

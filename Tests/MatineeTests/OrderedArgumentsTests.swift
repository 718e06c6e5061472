import ArgumentParser
import Testing

@testable import MatineeCommands

@Suite("The command line")
struct OrderedArgumentsTests {
  private static let program = {
    do {
      return try CommandDescription.ofProgram()
    } catch {
      preconditionFailure("the program's own description can't be read: \(error)")
    }
  }()

  private func ordered(_ line: String) throws -> OrderedArguments {
    try OrderedArguments(line.split(separator: " ").map(String.init), of: Matinee.self)
  }

  private func parsed(_ line: String) throws -> (any ParsableCommand)? {
    let sources = Settings.Sources(file: nil, environment: [:])
    return try StartArguments(ordered(line), of: Matinee.self, sources).command
  }

  @Test(
    "Each line is parsed by the command that it names, or by the default one",
    arguments: [
      ("", "watch"), ("film", "watch"), ("host film", "host"), ("--name Ana film", "watch"),
      ("join INVITE --name Ana", "join"), ("--name Ana host film", "host"),
      ("--name host film", "watch"), ("kept-relay --listen *:0 --admits a --party b", "kept-relay"),
      ("--version", nil), ("help host", nil), ("--help", nil), ("host -h", nil), ("-film", nil),
      ("---completion bash", nil), ("--nonsense", nil),
    ])
  func commands(typed: String, command: String?) throws {
    #expect(try parsed(typed).map { type(of: $0)._commandName } == command)
  }

  @Test(
    "A file whose name begins like an option is recognized, except after -- and as a value",
    arguments: [
      ("host -dash.mp4", "-dash.mp4"), ("-film", "-film"), ("host -- -dash.mp4", nil),
      ("--latency-offset -20 film", nil), ("host -h", nil), ("join -", nil), ("--nam x", nil),
    ])
  func dashedFiles(typed: String, file: String?) throws {
    let problem = try ordered(typed).problem(in: Self.program)
    #expect(
      problem
        == file.map {
          "“\($0)” begins like an option. For a file of that name, write ./\($0), or -- before it."
        })
    if file != nil { #expect(try parsed(typed) == nil) }
  }

  @Test(
    "Options before the command mean the same as after it",
    arguments: [
      ("--mpv ao=null host film", "host --mpv ao=null film"),
      ("--name Ana host film", "host --name Ana film"),
      ("--name=Ana host film", "host --name=Ana film"),
      ("--name=Ana join INVITE", "join --name=Ana INVITE"),
      ("--private host film", "host --private film"),
      ("--relay nats://127.0.0.1:1 host film", "host --relay nats://127.0.0.1:1 film"),
      ("--private --video none join - film", "join --private --video none - film"),
      ("--latency-offset -20 host film", "host --latency-offset -20 film"),
      ("--listen *:0 relay --max-connections 9", "relay --listen *:0 --max-connections 9"),
      ("--help host", "host --help"), ("-h relay", "relay -h"),
      ("host --name Ana film", "host --name Ana film"), ("doctor", "doctor"),
      // Angles take the following arguments, so the films have to come before them.
      ("--angles a b host film", "host film --angles a b"),
      ("--angles a --name Ana host film -- -x", "host --name Ana film --angles a -- -x"),
    ])
  func order(typed: String, expected: String) throws {
    let ordered = try ordered(typed)
    #expect(ordered.line.joined(separator: " ") == expected)
    #expect(ordered.problem(in: Self.program) == nil)
  }

  @Test(
    "The value of an option, a path, and arguments after a film or -- aren't commands",
    arguments: [
      "--name host film", "film host", "./host", "-- host", "--name Ana ./host",
      "--invite-file join",
      "--preroll relay film", "--nonsense film", "--angles a b", "---completion host --name",
    ])
  func noCommand(typed: String) throws {
    let ordered = try ordered(typed)
    #expect(ordered.line.joined(separator: " ") == typed)
    #expect(ordered.command == nil)
  }

  @Test("The parser understands the ordered arguments")
  func parsed() throws {
    let line = "--name Ana --angles b.mkv c.mkv host --listen *:0 a.mkv"
    let host = try #require(try parsed(line) as? MatineeCommands.Host)
    #expect(host.films == ["a.mkv"])
    #expect(host.options.general.angles == ["b.mkv", "c.mkv"])
    #expect(host.options.general.name == "Ana")
  }

  @Test(
    "An option of another command is an error that names both",
    arguments: [
      (
        "--listen *:0 join",
        "“matinee join” has no option --listen; “matinee”, “matinee host”, “matinee relay” and “matinee calibrate” have it. For its own options: matinee join --help"
      ),
      (
        "relay --name Ana",
        "“matinee relay” has no option --name; “matinee”, “matinee host” and “matinee join” have it. For its own options: matinee relay --help"
      ),
      (
        "--monitor *:1 film",
        "“matinee” has no option --monitor; “matinee relay” has it. For its own options: matinee --help"
      ),
    ])
  func foreignOption(typed: String, expected: String) throws {
    #expect(try ordered(typed).problem(in: Self.program) == expected)
    #expect(try parsed(typed) == nil)
  }

  @Test(
    "An unknown option is left to the parser, and so are help and the version",
    arguments: ["host --nonsense", "relay --help", "doctor --version", "help host", "--help"])
  func parsersOptions(typed: String) throws {
    #expect(try ordered(typed).problem(in: Self.program) == nil)
  }

  @Test(
    "A misspelt command is recognized if no file has that name",
    arguments: [
      ("jion", "join"), ("Host", "host"), ("docotr", "doctor"), ("realy", "relay"),
      ("hepl", "help"),
    ])
  func mistyped(word: String, command: String) {
    let commands = Matinee.commandNames
    #expect(
      MistypedCommand.message(for: word, commands: commands, exists: false)
        == "There is no file “\(word)”. Did you mean `matinee \(command)`?")
    #expect(MistypedCommand.message(for: word, commands: commands, exists: true) == nil)
    for path in ["./\(word)", "\(word).mkv", "lighthouse", "~\(word)"] {
      #expect(MistypedCommand.message(for: path, commands: commands, exists: false) == nil)
    }
  }

  @Test("The program's help has every option, on two screens at most", arguments: [80, 120])
  func help(columns: Int) throws {
    for request in ["--help", "-h", "help", "--name Ana --help", "film --help"] {
      #expect(try ordered(request).requestsProgramHelp, "\(request)")
    }
    for request in ["host --help", "help host", "film"] {
      #expect(try !ordered(request).requestsProgramHelp, "\(request)")
    }
    let text = ProgramHelp(program: Self.program, version: "1").text(columns: columns)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 64, "\(lines.count) lines")
    #expect(lines.allSatisfy { $0.count <= columns })
    for option in try #require(Self.program.subcommand("watch")).options where option.shouldDisplay
    {
      let name = try #require(option.longName)
      guard name != "help", name != "version", !name.hasPrefix("no-") else { continue }
      #expect(text.contains("--\(name)") || text.contains("--[no-]\(name)"), "\(name)")
    }
    for command in Matinee.commandNames where command != "help" && command != "watch" {
      #expect(text.contains("matinee \(command)"), "\(command)")
    }
  }
}

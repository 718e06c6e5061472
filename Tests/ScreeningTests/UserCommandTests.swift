import GroupActivities
import PlaybackCoordination
import Testing
import Timekeeping

@testable import Screening

@Suite("The commands of the user")
struct UserCommandTests {
  @Test("Each example of each row is a command with the row's name, or one of its relatives")
  func examples() throws {
    for row in UserCommandTable.rows {
      #expect(!row.help.isEmpty && !row.help.hasSuffix("."), "\(row.name)")
      #expect(row.argument.isEmpty == row.values.isEmpty, "\(row.name)")
      for example in row.examples {
        #expect(example == row.name || example.hasPrefix(row.name + " "), "\(example)")
        let command = try UserCommand(example)
        #expect(UserCommandTable.row(command.name) != nil, "\(example)")
        for alias in row.aliases {
          #expect(try UserCommand(alias + example.dropFirst(row.name.count)) == command)
        }
      }
    }
  }

  @Test("Each command's name leads to a row that reads it, and each row is some command's name")
  func names() throws {
    var named: Set<String> = []
    for row in UserCommandTable.rows {
      for example in row.examples { named.insert(try UserCommand(example).name) }
    }
    #expect(named == Set(UserCommandTable.rows.map(\.name)))
  }

  @Test("mpv's own commands mean the same as the rows that name them")
  func mpv() throws {
    let samples = [
      "TIME [absolute]": "12 absolute", "N": "1", "SPEED": "1.25", "SPEED…": "1 1.5 2",
      "FILE|URL": "film.mkv", "PERCENT": "5",
    ]
    for row in UserCommandTable.rows {
      guard var line = row.mpv else { continue }
      for (place, sample) in samples.sorted(by: { $0.key.count > $1.key.count })
      where line.hasSuffix(" " + place) {
        line = line.dropLast(place.count) + sample
        break
      }
      let words = line.split(separator: " ").map(String.init)
      #expect(try UserCommand(mpv: words)?.name == row.name, "\(line)")
    }
  }

  @Test(
    "Lines are read as the commands that they mean",
    arguments: [
      ("play", UserCommand.play(immediately: false)), ("play now", .play(immediately: true)),
      ("pause ", .pause), ("seek 754.5", .seek(to: MediaTime(seconds: 754.5))),
      ("seek 12:34", .seek(to: MediaTime(seconds: 754))), ("seek +10", .skip(by: .seconds(10))),
      ("seek  -1:30\r", .skip(by: .seconds(-90))),
      ("seek 50%", .seekPercent(50, isRelative: false)), ("rate 1.25", .setRate(1.25)),
      ("rate +0.1", .addRate(0.1)), ("rate *2", .multiplyRate(by: 2)), ("speed 2", .setRate(2)),
      ("preview cancel", .endScrub(at: nil)), ("scrub 5", .scrub(to: MediaTime(seconds: 5))),
      ("take-everyone 5", .endScrub(at: MediaTime(seconds: 5))),
      ("step-away", .suspend(.steppedAway)),
      ("step-away cooking", .suspend(.init(rawValue: "cooking"))),
      ("move 3 1", .moveEntry(from: 2, to: 0)), ("drop 2", .dropEntry(1)),
      ("latency-offset 0.18s", .setLatencyOffset(.milliseconds(180))),
      ("load a film.mkv", .load("a film.mkv")), ("load  end \r", .load(" end ")),
      ("load a.mkv --resume", .loadResumed("a.mkv")), ("draw", .drawing(.draw([]))),
      ("cycle aid", .cycleAudio), ("mpv cycle audio", .cycleAudio),
      ("mpv cycle sid down", .cycleSubtitles(by: -1)),
      ("control hosts", .rule(.control(.hosts))),
      ("remove Big Ben", .rule(.remove(name: "Big Ben"))),
      ("lifetime host", .rule(.lifetime(.endsWhenHostLeaves))),
      ("allow always", .answer(true, forGood: true)), ("deny", .answer(false, forGood: false)),
      ("react love", .react(.love)), ("leave-party", .leave), ("open-party", .host),
      ("rejoin", .rejoin(nil)), ("cycle pause", .playPause), ("playlist-next", .advance(by: 1)),
      ("set pause yes", .pause), ("add volume -2", .changeVolume(by: -2)), ("quit", .quit),
    ])
  func lines(line: String, command: UserCommand) throws {
    #expect(try UserCommand(line) == command)
  }

  @Test(
    "A wrong line is answered in words with an example",
    arguments: [
      ("seek soon", "not “soon”, as in: seek 754.5, seek 12:34"),
      ("seek 99999999", "up to 9999999 s"), ("rate 0", "0.01 to 100, with +"),
      ("rate", "rate needs a speed"), ("move 3", "as in: move 3 1"), ("drop 0", "from 1"),
      ("react boo", "fire, moment), not “boo”, as in: react applause"),
      ("load  ", "load needs a file or a URL"),
      ("pause now", "pause takes no argument, as in: pause"), ("play later", "not “later”"),
      ("control guests", "control needs everyone or hosts, not “guests”, as in: control hosts"),
      ("latency-offset 20s", "milliseconds, -2000 to 10000"), ("draw 1", "points in the film"),
      ("draw 0.1 2", "0 to 1"), ("co-host", "as in: co-host Ana"),
      ("plai", "“plai” isn't a command; did you mean “play”?"),
      ("run rm", "starts another program"), ("mpv run rm", "starts another program"),
      ("mpv seek 5", "affects only you"), ("cycle", "takes a property"),
      ("seek \u{1B}[2J", "not “[2J”"),
    ])
  func problems(line: String, words: String) throws {
    let problem = #expect(throws: UserCommandProblem.self) { try UserCommand(line) }
    let text = try #require(problem).description
    #expect(text.contains(words), "\(text)")
  }

  @Test("A line of the chat is a message, unless it begins with one slash")
  func chat() throws {
    #expect(try UserCommand(chatLine: "play") == .say("play"))
    #expect(try UserCommand(chatLine: "//play") == .say("/play"))
    #expect(try UserCommand(chatLine: "hot :fire::fire: at 1:2:3") == .say("hot 🔥🔥 at 1:2:3"))
    #expect(try UserCommand(chatLine: "/play now") == .play(immediately: true))
    #expect(try UserCommand(chatLine: "/remove Big Ben ") == .rule(.remove(name: "Big Ben")))
    for (wrong, words) in [
      ("/plai", "Unknown command. Did you mean /play?"),
      ("/zzzzzzzzzz", "Unknown command. Type / to see the list. (// sends a literal slash)"),
    ] {
      let problem = #expect(throws: UserCommandProblem.self) { try UserCommand(chatLine: wrong) }
      #expect(try #require(problem).description == words)
    }
    for wrong in ["/", "/cycle pause"] {
      #expect(throws: UserCommandProblem.self) { try UserCommand(chatLine: wrong) }
    }
  }
}

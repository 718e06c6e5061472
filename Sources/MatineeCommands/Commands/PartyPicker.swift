import ArgumentParser
import Concurrency
import Faces
import Foundation
import GroupActivities
import MatineeKit
import Reachability
import Screening

/// `matinee join` without an invite: asks for it, or looks for parties on the local network, and asks for one of them and
/// its secret. Without a terminal it only lists the parties.
enum PartyPicker {
  /// - Throws: `ExitCode`, after a message with the reason and a suggestion.
  static func pick(headless: Bool) async throws -> Invite {
    let isAsked = !headless && isatty(0) == 1 && isatty(2) == 1
    if isAsked {
      say("Paste the invite, or press enter to look for parties on this network.")
      if let invite = try await askForInvite() { return invite }
      say("Looking for parties on this network…")
    }
    let parties = try await find(headless: headless)
    guard isAsked else {
      for party in parties {
        if headless { _ = JSONLines.write(event(party)) } else { say("  " + line(for: party)) }
      }
      report(
        "The invite is missing. Ask the host for it, and give it to standard input: matinee join -",
        headless: headless)
      throw ExitCode.validationFailure
    }
    return try await ask(parties)
  }

  private static func find(headless: Bool) async throws -> [LocalParty] {
    let parties: [LocalParty]
    do {
      parties = LocalParty.all(
        among: try await ServiceBrowser.services(ofType: LocalParty.serviceType))
    } catch {
      try fail(
        "Can't look for parties on this network: the Avahi daemon doesn't answer (\(error)). "
          + "Ask the host for the invite, and paste it: matinee join", headless: headless)
    }
    guard !parties.isEmpty else {
      try fail(
        "Found no party on this network. Ask the host for the invite, and paste it: "
          + "matinee join", headless: headless)
    }
    return parties
  }

  private static func fail(_ text: String, headless: Bool) throws -> Never {
    report(text, headless: headless)
    throw ExitStatus.unreachable
  }

  /// Writes an event for a program, or a message for a person, never both.
  private static func report(_ text: String, headless: Bool) {
    if headless {
      _ = JSONLines.write(.failed(text))
    } else {
      ExitStatus.printError(text)
    }
  }

  private static func event(_ party: LocalParty) -> ScreeningEvent {
    .announced(name: party.name, party: party.id, addresses: party.addresses.map(\.text))
  }

  // MARK: - Interactive use

  /// - Returns: nil for an empty line.
  private static func askForInvite() async throws -> Invite? {
    while true {
      let text = try await InvitePrompt.ask()
      guard !text.allSatisfy(\.isWhitespace) else { return nil }
      do {
        return try Invite(text)
      } catch {
        say(error.description)
      }
    }
  }

  private static func ask(_ parties: [LocalParty]) async throws -> Invite {
    for (index, party) in parties.enumerated() {
      let number = String(index + 1)
      let padding = String(repeating: " ", count: max(1, 3 - number.count))
      say("\(padding)\(number)  \(line(for: party))")
    }
    let party = try await choose(among: parties)
    say("\(party.name): the host sees the invite after pressing I.")
    while true {
      let text = try await InvitePrompt.ask("The invite, or its part after #: ")
      do {
        return try Invite(text, toParty: party.id, foundAt: party.addresses)
      } catch .empty {
        continue
      } catch .damagedSecret {
        say(
          "That isn't the secret. It consists of 22 letters, digits, - and _; upper and lower case differ."
        )
      } catch {
        say(error.description)
      }
    }
  }

  private static func line(for party: LocalParty) -> String {
    let rest = party.addresses.count - 1
    return "\(party.name) on \(party.addresses[0].text)" + (rest > 0 ? " (and \(rest) more)" : "")
  }

  private static func choose(among parties: [LocalParty]) async throws -> LocalParty {
    guard parties.count > 1 else { return parties[0] }
    while true {
      let text = try await read("Which one? 1–\(parties.count): ")
      if let number = Int(text.trimmingCharacters(in: .whitespaces)),
        parties.indices.contains(number - 1)
      {
        return parties[number - 1]
      }
    }
  }

  private static func say(_ text: String, end: String = "\n") {
    FileHandle.standardError.write(Data((text + end).utf8))
  }

  /// - Throws: `ExitCode` at the end of the input.
  private static func read(_ prompt: String) async throws -> String {
    say(prompt, end: "")
    let line = await OwnedThread.run("read line") { readLine() }
    guard let line else {
      say("")
      throw ExitCode.validationFailure
    }
    return line
  }
}

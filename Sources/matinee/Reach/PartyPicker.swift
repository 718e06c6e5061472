import ArgumentParser
import Foundation
import GroupActivities
import Reachability

/// `matinee join` without an invite: looks for parties on the local network and asks which one, and for
/// its secret. Without a terminal it only tells what it found.
enum PartyPicker {
  /// - Throws: `ExitCode`, after saying why and what to do.
  static func pick(headless: Bool) async throws -> Invite {
    let isAsked = !headless && isatty(0) == 1 && isatty(2) == 1
    if isAsked { say("looking for parties on this network…") }
    let parties = try await find(isAsked: isAsked)
    guard isAsked else {
      for party in parties { _ = JSONLines.write(object(party)) }
      let advice =
        "an invite is missing: matinee://ADDRESS/PARTY#SECRET, where only the host knows SECRET"
      if headless { _ = JSONLines.write(["event": "error", "message": advice]) }
      ExitStatus.printError(advice)
      throw ExitCode.validationFailure
    }
    return try await ask(parties)
  }

  private static func find(isAsked: Bool) async throws -> [LocalParty] {
    let parties: [LocalParty]
    do {
      parties = LocalParty.all(
        among: try await ServiceBrowser.services(ofType: LocalParty.serviceType))
    } catch {
      try fail(
        "parties on this network can't be looked for, since the Avahi daemon doesn't answer "
          + "(\(error)); ask the host for the invite: matinee join 'matinee://…'", isAsked: isAsked)
    }
    guard !parties.isEmpty else {
      try fail(
        "no party announces itself on this network; ask the host for the invite: "
          + "matinee join 'matinee://…'", isAsked: isAsked)
    }
    return parties
  }

  private static func fail(_ text: String, isAsked: Bool) throws -> Never {
    if !isAsked { _ = JSONLines.write(["event": "error", "message": text]) }
    ExitStatus.printError(text)
    throw ExitStatus.unreachable
  }

  private static func object(_ party: LocalParty) -> [String: any Sendable] {
    [
      "event": "party", "name": party.name, "party": party.id.description,
      "addresses": party.addresses.map(\.text),
    ]
  }

  // MARK: - With a person

  private static func ask(_ parties: [LocalParty]) async throws -> Invite {
    for (index, party) in parties.enumerated() {
      let number = String(index + 1)
      let padding = String(repeating: " ", count: max(1, 3 - number.count))
      say("\(padding)\(number)  \(line(for: party))")
    }
    let party = try await choose(among: parties)
    say("\(party.name): the host sees the invite after pressing I.")
    while true {
      let text = try await read("What stands after # in it, or all of it: ")
      do {
        return try Invite(text, toParty: party.id, foundAt: party.addresses)
      } catch .empty {
        continue
      } catch .damagedSecret {
        say("that isn't it: it has 22 letters, digits, - and _, and lower case isn't upper case")
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

  /// - Throws: at the end of input.
  private static func read(_ prompt: String) async throws -> String {
    say(prompt, end: "")
    let line = await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: readLine()) }.start()
    }
    guard let line else {
      say("")
      throw ExitCode.validationFailure
    }
    return line
  }
}

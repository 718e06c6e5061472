import ArgumentParser
import Concurrency
import Doors
import Foundation
import MatineeKit
import NATSTransport
import TerminalUI

/// The way into a room of Syncplay's protocol, before the player starts.
enum RoomEntrance {
  /// The longest password file, in bytes.
  private static let sizeLimit = 4096

  /// - Parameters:
  ///   - authorities: the certificates that the server has to be vouched for by; nil for the system's, and then a server
  ///     without TLS is used with a warning.
  ///   - asks: whether the user can be asked for the password.
  /// - Throws: `ExitCode`, after the reason was printed.
  static func enter(
    _ text: String, as name: String, passwordFile: String?, operatorPasswordFile: String?,
    trusting authorities: TrustedCertificates?,
    asks: Bool
  ) async throws -> RoomDoor {
    do {
      let address = try RoomAddress(text)
      let trust = ServerTrust(authorities)
      let room = RoomDoor(
        address, name: name, requiresTLS: authorities != nil,
        operatorPassword: try operatorPasswordFile.map(Self.password)
      ) {
        try trust.makeContext()
      }
      var password = try passwordFile.map(password(inFileAt:))
      while true {
        do throws(RoomProblem) {
          try await room.enter(password: password)
          return room
        } catch {
          guard error.kind == .password, asks, isatty(STDIN_FILENO) == 1 else { throw error }
          if password != nil { ExitStatus.printError("\(error)") }
          password = try await ask()
        }
      }
    } catch let exit as ExitCode {
      throw exit
    } catch let problem as RoomProblem {
      ExitStatus.printError(problem.description)
      throw problem.kind == .unreachable ? ExitStatus.unreachable : ExitStatus.refused
    } catch {
      ExitStatus.printError("\(error)")
      throw ExitCode.validationFailure
    }
  }

  private static func password(inFileAt path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path), data.count <= sizeLimit,
      let text = String(data: data, encoding: .utf8)
    else { throw ValidationError("The password in \(path) can't be read.") }
    return text.trimmingCharacters(in: .newlines)
  }

  private static func ask() async throws -> String {
    let line = await OwnedThread.run("read password") {
      HiddenLine.read("Password of the room's server: ") { String(repeating: "*", count: $0.count) }
    }
    guard let line else { throw ExitCode.validationFailure }
    return line
  }
}

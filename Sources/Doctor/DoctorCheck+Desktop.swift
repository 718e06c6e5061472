import Foundation
import MPVPlayer

extension DoctorCheck {
  /// - Parameter read: returns the contents of a file; nil if there is no such file.
  package static func installation(
    read: @escaping @Sendable (String) -> String?
  ) -> DoctorCheck {
    DoctorCheck(subject: "installed", progress: "") {
      InstallationCheck(
        environment: ProcessInfo.processInfo.environment,
        exists: { FileManager.default.isReadableFile(atPath: $0) }, read: read
      ).findings
    }
  }

  /// The user's settings, keys and colours, with the problems that every start reports.
  ///
  /// - Parameters:
  ///   - folder: the folder of these files; nil if there is no home folder.
  ///   - problems: returns the problems with the files in a folder.
  package static func ownFiles(
    in folder: String?, problems: @escaping @Sendable (String) throws -> [String]
  ) -> DoctorCheck {
    DoctorCheck(subject: "settings", progress: "") {
      guard let folder else {
        return [.notice("settings", "none, because there is no home folder")]
      }
      do {
        let problems = try problems(folder)
        guard problems.isEmpty else { return problems.map { .notice("settings", $0) } }
      } catch {
        return [.bad("settings", "the program's own options can't be read: \(error)")]
      }
      let files = ["matinee.conf", "keys.conf", "theme.conf"].filter {
        FileManager.default.fileExists(atPath: "\(folder)/\($0)")
      }
      return [
        .good(
          "settings",
          files.isEmpty
            ? "none in \(folder); see man 5 matinee"
            : "no problems in \(files.joined(separator: ", "))")
      ]
    }
  }

  /// The bus over which the desktop shows the current film and sends its media keys.
  package static let sessionBus = DoctorCheck(subject: "desktop", progress: "") {
    let environment = ProcessInfo.processInfo.environment
    let address =
      environment["DBUS_SESSION_BUS_ADDRESS"]
      ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
    guard let address else {
      return [.notice("desktop", "no session bus: media keys won't work")]
    }
    guard let path = SessionBusAddress.path(address) else {
      return [.good("desktop", "session bus at \(address)")]
    }
    return [
      LocalSocket.isListening(path)
        ? .good("desktop", "the session bus answers (media keys work)")
        : .notice("desktop", "no session bus at \(path): media keys won't work")
    ]
  }
}

/// The address of the session bus (D-Bus Specification, "Server Addresses").
enum SessionBusAddress {
  /// Returns the socket's path; nil for other transports, which aren't checked.
  static func path(_ address: String) -> String? {
    for part in address.split(separator: ";") where part.hasPrefix("unix:") {
      for pair in part.dropFirst("unix:".count).split(separator: ",")
      where pair.hasPrefix("path=") {
        return String(pair.dropFirst("path=".count)).removingPercentEncoding
      }
    }
    return nil
  }
}

import Screening

/// A request of the user, for the application to carry out.
///
/// It hasn't happened yet when it arrives: the screen changes only with the application's next ``ScreenModel``.
package enum Intent: Hashable, Sendable {
  /// A command, which could also have been typed.
  case user(UserCommand)
  /// A request that concerns only the screen.
  case screen(ScreenCommand)
}

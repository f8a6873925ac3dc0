;;; dap-relaxscope.el --- dap-mode for Relax modules -*- lexical-binding: t; -*-

;; Put this file on the load path and (require 'dap-relaxscope).  `dap-debug' then offers "relaxscope: this module",
;; which runs the module of the buffer as `rxs run' would, and "relaxscope: listening engine".

;;; Code:

(require 'dap-mode)
(require 'dap-ui) ; dap-mode takes the exception filters from there

(defcustom dap-relaxscope-command "rxs"
  "The program that holds the debug engine."
  :type 'string
  :group 'dap-mode)

(defun dap-relaxscope--populate (conf)
  "Fill in what CONF does not say.
`:connect' names an engine that listens, HOST:PORT or PORT; its token is in the environment's RXS_DAP_TOKEN."
  (let ((address (plist-get conf :connect)))
    (dap--put-if-absent conf :dap-server-path
                        (if address
                            (list dap-relaxscope-command "dap" "--connect" address)
                          (list dap-relaxscope-command "dap")))
    (dap--put-if-absent conf :request "launch")
    (dap--put-if-absent conf :program (buffer-file-name))
    conf))

(dap-register-debug-provider "relaxscope" #'dap-relaxscope--populate)

(dap-register-debug-template "relaxscope: this module"
                             (list :type "relaxscope" :request "launch" :name "relaxscope" :stopOnEntry t))

(dap-register-debug-template "relaxscope: listening engine"
                             (list :type "relaxscope" :request "launch" :name "relaxscope, remote" :connect "4711"
                                   :stopOnEntry t))

(provide 'dap-relaxscope)
;;; dap-relaxscope.el ends here
